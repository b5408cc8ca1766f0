// Brings one file's text to rest: fixes until none is left to apply (or, with --add-allows, allows what is found). Reads and writes no files, prints nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/analysis.h"

namespace torchport {

struct AppliedFix {
  const Rule* rule = nullptr;
  Applicability applicability = Applicability::Safe;
};

struct RemainingFinding {
  const Rule* rule = nullptr;
  Impact impact = Impact::None;  // worst on the chosen targets
  Position at;                   // in the new text
  std::string why;               // it was not fixed
};

struct FixedText {
  std::string text;  // the old one where nothing was fixed or the result was refused
  std::vector<AppliedFix> applied;
  std::vector<RemainingFinding> left;  // without suppressed ones and those about the file itself
  std::string refused;                 // why the result was not taken; empty: it was
  std::vector<AppliedFix> tried;       // ... and what it was made of
};

FixedText fix_text(const Job& job, const Input& input, const std::string& bytes, Language language);

}  // namespace torchport
