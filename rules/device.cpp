#include "rules/device.h"

#include <algorithm>
#include <array>

#include "opdb/torch_names.h"
#include "rules/template.h"

namespace torchport {
namespace {

constexpr std::string_view kAcceleratorOrCpu = "torch.accelerator.current_accelerator(check_available=True) or torch.device(\"cpu\")";

// Nearer kinds first.
int rank(HandleKind kind) {
  switch (kind) {
    case HandleKind::Local: return 0;
    case HandleKind::Parameter: return 1;
    case HandleKind::Attribute: return 2;
    case HandleKind::Option: return 3;
    case HandleKind::Constant: return 4;
    case HandleKind::Helper: return 5;
  }
  return 6;
}

// Where the name is asked for None or for its type, or made anew on this very line, it is not settled yet.
bool unsettled(const SourceFile& source, const Handle& h, Span at) {
  const std::string name(h.text);
  const std::string_view before = source.text({h.reach.start, at.end});
  const Span line = source.line_span(source.position(at.start).line);
  const std::string_view rest = source.text({at.end, std::max(at.end, line.end)});
  for (const std::string& question : {name + " is None", name + " is not None", "isinstance(" + name, "not " + name + ":", name + " == None"}) {
    if (before.find(question) != std::string_view::npos || rest.find(question) != std::string_view::npos) return true;
  }
  std::string_view start = source.text(line);
  start.remove_prefix(std::min(start.find_first_not_of(" \t"), start.size()));
  if (start.substr(0, name.size()) != name) return false;
  start.remove_prefix(name.size());
  start.remove_prefix(std::min(start.find_first_not_of(" \t"), start.size()));
  return start.substr(0, 1) == "=" && start.substr(0, 2) != "==";
}

bool is_hidden(const Handle& h, Span at) {
  return std::any_of(h.hidden.begin(), h.hidden.end(), [&](Span span) { return span.contains(at); });
}

const Handle* handle_at(const SourceFile& source, const FileFacts& facts, Span at) {
  const Handle* best = nullptr;
  // In order of their definitions; the nearest ones before the place are looked at.
  auto it = std::upper_bound(facts.handles.begin(), facts.handles.end(), at.end, [](std::uint32_t end, const Handle& h) { return end < h.definition.start; });
  for (int left = 400; it != facts.handles.begin() && left > 0; --left) {
    const Handle& h = *--it;
    if (!h.reach.contains(at) || h.definition.contains(at) || is_hidden(h, at) || unsettled(source, h, at)) continue;
    if (best == nullptr || rank(h.kind) < rank(best->kind) ||
        (rank(h.kind) == rank(best->kind) && h.definition.start > best->definition.start)) {
      best = &h;
    }
  }
  return best;
}

// A name that the file does not use yet: of a constant, or of a function.
std::string free_name(const FileFacts& facts, bool function) {
  constexpr std::array kConstants = std::to_array<const char*>({"DEVICE", "ACCELERATOR", "TORCH_DEVICE", "DEFAULT_TORCH_DEVICE", "PORTABLE_TORCH_DEVICE"});
  constexpr std::array kFunctions = std::to_array<const char*>({"get_device", "get_torch_device", "pick_device", "pick_torch_device", "get_portable_torch_device"});
  const auto& names = function ? kFunctions : kConstants;
  const auto free = std::find_if(names.begin(), names.end() - 1, [&](const char* name) { return !facts.has_identifier(name); });
  return *free;
}

bool exists(std::string_view name, const RunOptions& options) {
  const TorchName* known = torch_names().find(name);
  return known != nullptr && (options.min_torch == 0 || options.min_torch >= known->since);
}

// The accelerator where there is one, else the CPU; empty where torch is too old to say.
std::string choice_text(const RunOptions& options) {
  if (exists("torch.accelerator.current_accelerator(check_available=)", options)) return std::string(kAcceleratorOrCpu);
  // In 2.6 the call raises where there is none.
  if (!exists("torch.accelerator.current_accelerator", options)) return {};
  return "torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device(\"cpu\")";
}

std::string replaced(std::string_view text, std::string_view torch) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, 6) == "torch.") {
      out += torch;
      i += 5;
    } else {
      out += text[i++];
    }
  }
  return out;
}

}  // namespace

bool available(std::string_view code, const RunOptions& options) {
  if (options.min_torch == 0) return true;
  for (const std::string& name : torch_names_in(code)) {
    const TorchName* known = torch_names().find(name);
    if (known != nullptr && known->since > options.min_torch) return false;
  }
  return true;
}

std::string torch_name(const SourceFile& source, const FileFacts& facts, Span at, std::vector<Edit>& edits) {
  if (!facts.prelude.torch.empty()) return std::string(facts.prelude.torch);
  const bool in_function = std::any_of(facts.functions.begin(), facts.functions.end(),
                                       [&](const Function& f) { return !f.is_class && !f.name.empty() && f.span.contains(at); });
  for (const TorchImport& import : facts.prelude.torch_elsewhere) {
    if (import.reach.contains(at) || (import.module_level && in_function)) return std::string(import.name);
  }
  const std::uint32_t line = facts.prelude.first_import;
  std::string text = "import torch" + std::string(source.line_end());
  if (line > 0 && source.text()[line - 1] != '\n' && source.text()[line - 1] != '\r') text = std::string(source.line_end()) + text;
  edits.push_back({{line, line}, text});
  return "torch";
}

std::optional<DeviceExpression> device_choice(const SourceFile& source, const FileFacts& facts, Span at, const RunOptions& options) {
  const std::string choice = choice_text(options);
  if (choice.empty()) return std::nullopt;
  DeviceExpression device;
  // A name bound by an import further down does not help code above it.
  const std::string torch = torch_name(source, facts, at, device.edits);
  if (!device.edits.empty() && at.start < facts.prelude.after_imports) return std::nullopt;
  device.text = replaced(choice, torch);
  device.type = "(" + device.text + ").type";
  device.object = true;
  return device;
}

std::optional<DeviceExpression> device_at(const SourceFile& source, const FileFacts& facts, Span at, const RunOptions& options) {
  if (const Handle* h = handle_at(source, facts, at); h != nullptr) {
    DeviceExpression device;
    device.text = h->text;
    device.safe = h->chosen;
    device.object = h->type == HandleType::Device;
    if (h->type == HandleType::String) {
      device.type = device.text;
    } else if (device.object) {
      device.type = device.text + ".type";
    } else {
      device.type = torch_name(source, facts, at, device.edits) + ".device(" + device.text + ").type";
    }
    return device;
  }
  return defined_device(source, facts, at, options);
}

std::optional<DeviceExpression> defined_device(const SourceFile& source, const FileFacts& facts, Span at, const RunOptions& options) {
  std::optional<DeviceExpression> device = device_choice(source, facts, at, options);
  if (!device) return device;
  const std::uint32_t insert = facts.prelude.after_imports;
  // Code between the imports comes before the name; and where torch is optional no line at the top may need it.
  const auto& elsewhere = facts.prelude.torch_elsewhere;
  const bool optional = facts.prelude.torch.empty() && !elsewhere.empty();
  if (at.start < insert || optional) {
    device->text = "(" + device->text + ")";
    return device;
  }
  // Where devices may come later, they are asked for when one is needed, and not by a line at the top.
  const bool function = facts.prelude.devices_come_later;
  const std::string name = free_name(facts, function);
  const std::string end(source.line_end());
  const std::string indent = source.text().find("\n\t") != std::string_view::npos ? "\t" : "    ";
  std::string line = function ? end + "def " + name + "():" + end + indent + "return " + device->text + end : name + " = " + device->text + end;
  const bool glued = insert > 0 && source.text()[insert - 1] != '\n' && source.text()[insert - 1] != '\r';
  if (insert > 0) line = end + line;
  if (glued && device->edits.empty()) line = end + line;
  const bool blank_follows = insert < source.text().size() && (source.text()[insert] == '\n' || source.text()[insert] == '\r');
  if (!blank_follows && insert < source.text().size()) line += end;
  if (!device->edits.empty() && device->edits[0].span.start == insert) {
    device->edits[0].text += line;
  } else {
    device->edits.push_back({{insert, insert}, line});
  }
  device->text = function ? name + "()" : name;
  device->type = device->text + ".type";
  return device;
}

}  // namespace torchport
