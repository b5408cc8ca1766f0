// From the files of a Job to a Report: reads, analyses and runs the rules in a pool. Prints nothing, writes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzers/analyze.h"
#include "analyzers/project.h"
#include "cli/job.h"
#include "reports/report.h"

namespace torchport {

struct Input {
  std::string path;  // as reported, relative to Job::root
  std::string absolute;
  std::string unreadable;  // why, where the walk could already tell
  bool named = false;      // given on the command line and not found in a folder
  std::optional<std::string> given = {};  // its bytes, where they come from a revision
};

struct Inputs {
  std::vector<Input> files;  // sorted by path, each file once
  std::uint32_t left_out = 0;
  std::optional<std::string> given;  // the bytes of the only file, with --stdin
};

Inputs gather(const Job& job);
// Throws Error where `output` is one of the files.
void keep_apart(const std::string& output, const Inputs& inputs);

// Hipified: the translation to HIP of a CUDA file that is among the inputs, or said to be one by its first line.
enum class Kind : std::uint8_t { Source, Foreign, Generated, Hipified };

struct Loaded {
  Kind kind = Kind::Foreign;  // Foreign: in no language that torchport reads
  Language language = Language::None;
  std::string bytes;
};
// Throws Error where the file cannot be read.
Loaded load(const Inputs& inputs, std::size_t index);

// What a report shows of one file: rules and targets chosen, allowances applied, sorted. `counts`, if given, gets its operator uses added.
std::vector<Finding> findings_of(const Job& job, const Input& input, const SourceFile& source, const FileFacts& facts,
                                 std::uint32_t file, OpCounts* counts = nullptr);

// Leaves out what the run does not ask for, applies the configuration's allowances, sorts.
void settle_findings(const Job& job, const Input& input, std::vector<Finding>& findings);

// What the files know of each other, by a pass of its own: fix needs it before the first file is rewritten.
Project project_of(const Job& job, const Inputs& inputs);

Report analyse(const Job& job, const Inputs& inputs);
// The same files at another time. `same` gives for each of `inputs` the file of `earlier` that has its bytes, or kOther:
// such a file is analysed once.
constexpr std::size_t kOther = static_cast<std::size_t>(-1);
std::pair<Report, Report> analyse_both(const Job& job, const Inputs& inputs, const Inputs& earlier, const std::vector<std::size_t>& same);
// Whether a file in scope could not be read, and --allow-skipped does not forgive it.
bool incomplete(const Job& job, const Report& report);

}  // namespace torchport
