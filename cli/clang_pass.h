// Has Clang read the C++ files of a run that hold kernels, launches or members whose type matters, beside everything else that the run does.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analyzers/clang_workers.h"
#include "analyzers/project.h"
#include "cli/analysis.h"
#include "cli/job.h"

namespace torchport {

class ClangPass {
 public:
  // Does nothing where there is no torchport-clang, or where the files' bytes come from elsewhere than the disk.
  ClangPass(const Job& job, const Inputs& inputs);

  // May be called by several threads, once for each file.
  void offer(std::size_t file, const SourceFile& source, const FileFacts& facts);
  // When all are offered: hands to the project what Clang says. Gives the files that it could not read, and why.
  std::map<std::size_t, std::string> finish(Project& project);

 private:
  std::unique_ptr<ClangWorkers> workers_;
  std::mutex mutex_;
  std::vector<std::uint32_t> headers_;  // read only where no file that includes them was
};

}  // namespace torchport
