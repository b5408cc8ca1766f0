// The PATHs of a run as places on the disk: whether a file, there or not, lies in them.
#pragma once

#include <string>
#include <vector>

#include "cli/job.h"

namespace torchport {

class Scope {
 public:
  explicit Scope(const Job& job);

  bool holds(const std::string& absolute) const;
  // Whether the file itself is one of the PATHs.
  bool names(const std::string& absolute) const;
  const std::vector<std::string>& folders() const { return folders_; }

 private:
  std::vector<std::string> folders_, files_;  // absolute, symbolic links resolved
};

}  // namespace torchport
