// Fixes made from templates: placeholders filled in, guards put around what raises without an accelerator, edits as small as they can be.
#pragma once

#include <optional>

#include "rules/device.h"
#include "rules/finding.h"
#include "rules/run.h"
#include "rules/template.h"

namespace torchport {

struct FixSite {
  const SourceFile& source;
  const FileFacts& facts;
  const RunOptions& options;
  const Use& use;
  // Writes the callee under the name by which it was imported; its import changes along (see imports.h).
  bool keep_name = false;
};

// The fix of the first template that fits the place and the project's torch; nothing where none does.
std::optional<Fix> make_fix(const std::vector<FixTemplate>& templates, const FixSite& site, const FixTemplate** taken = nullptr);

// An argument by position or keyword; null where it is not given or hidden behind *args.
const Arg* find_argument(const Use& use, std::int32_t position, std::string_view keyword);

// Whether the use stands where only machines with CUDA (or, after other fixes, with an accelerator) come.
bool accelerator_guarded(const FileFacts& facts, const Use& use);

// Puts `code` in place of the use under `if torch.accelerator.is_available()`, in the form that the place allows. Nothing where none is.
std::optional<Fix> guarded_fix(const FixSite& site, std::vector<Edit> edits, const std::string& otherwise);

// "torch.cuda.FloatTensor" -> "torch.float32"; empty: no legacy tensor type.
std::string_view legacy_dtype(std::string_view type);

}  // namespace torchport
