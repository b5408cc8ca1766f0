// A line on standard error that says how far a run is; only on a terminal, and only once it has lasted long enough to
// be wondered about.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace torchport {

class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Called from one thread, about ten times a second.
  void show(std::size_t done, std::size_t total);
  void clear();

 private:
  bool wanted_ = false;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace torchport
