// Runs torchport-clang: some processes that read one C++ file after the other, beside everything else. A file that takes too long or makes its process
// die costs that process and nothing else. Without the program there is nothing to run, and reports say less.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "analyzers/clang_facts.h"
#include "analyzers/facts.h"

namespace torchport {

struct ClangSettings {
  std::string program;
  std::vector<std::pair<std::uint32_t, std::string>> files;  // all C++ files of the run, by number, with their absolute paths
  std::vector<std::string> arguments;                        // for the preprocessor: "-DWITH_CUDA"
  std::string database;                                      // folder of a compile_commands.json; empty: none
  std::uint32_t processes = 1;
};

class ClangWorkers {
 public:
  // `interest` must outlive it. Processes are started when there is something to read.
  ClangWorkers(ClangSettings settings, const NativeInterest& interest);
  ~ClangWorkers();
  ClangWorkers(const ClangWorkers&) = delete;
  ClangWorkers& operator=(const ClangWorkers&) = delete;

  // May be called by several threads.
  void ask(std::uint32_t file);
  // Until all that was asked is answered.
  void wait();
  const std::map<std::uint32_t, ClangAnswer>& answers() const { return answers_; }  // after wait()

 private:
  class Process;
  void work();
  ClangAnswer read(Process& process, std::uint32_t file) const;
  ClangAnswer facts_of(std::string_view line) const;

  ClangSettings settings_;
  const NativeInterest& interest_;
  std::string first_line_;
  std::map<std::uint32_t, std::uint32_t> numbers_;  // of the run -> of the program
  std::mutex mutex_;
  std::condition_variable asked_, answered_;
  std::deque<std::uint32_t> queue_;
  std::size_t open_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
  std::map<std::uint32_t, ClangAnswer> answers_;
};

}  // namespace torchport
