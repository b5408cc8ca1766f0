// By which expression a fix writes a device at a given place: the project's own name in reach, else a definition of ours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzers/facts.h"
#include "rules/finding.h"
#include "rules/run.h"

namespace torchport {

struct DeviceExpression {
  std::string text;             // accepted wherever torch takes a device
  std::string type;             // its device type as a string: "device.type"
  bool safe = true;             // on a CUDA machine it is CUDA, without an accelerator the CPU
  bool object = false;          // `text` is a torch.device and no string
  std::vector<Edit> edits;      // the definition and the import that it needs
};

// `at`: what the fix replaces. Nothing where the project's torch is too old for a definition of ours and none is in reach.
std::optional<DeviceExpression> device_at(const SourceFile& source, const FileFacts& facts, Span at, const RunOptions& options);

// The definition of ours, without looking for the project's own.
std::optional<DeviceExpression> defined_device(const SourceFile& source, const FileFacts& facts, Span at, const RunOptions& options);

// The same without any name: a full expression for places that define such a name.
std::optional<DeviceExpression> device_choice(const SourceFile& source, const FileFacts& facts, Span at, const RunOptions& options);

// The name by which to write torch at a place, and the edit that imports it where no name reaches that place.
std::string torch_name(const SourceFile& source, const FileFacts& facts, Span at, std::vector<Edit>& edits);

// Whether the project's torch (options) has every torch name of the code.
bool available(std::string_view code, const RunOptions& options);

}  // namespace torchport
