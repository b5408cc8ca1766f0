// The text of a fix with its placeholders. What they stand for: README.md beside this file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace torchport {

// The text of a template that removes its statement.
constexpr std::string_view kDeleteStatement = "\x01" "delete";

struct Piece {
  enum class Kind : std::uint8_t { Text, Args, Keywords, Argument, Rest, Receiver, Callee, Symbol, Last, Dtype, Device, DeviceType };
  struct Which {
    std::int32_t position = -1;
    std::string keyword;
  };
  Kind kind = Kind::Text;
  std::string text;            // Text; Argument: what stands for a missing one
  bool has_default = false;
  std::vector<Which> which;    // Argument: one; Rest: those left out
};

// "0/device", "kw:device". Throws Error where it is neither.
Piece::Which parse_which(std::string_view text);

// Throws Error on an unknown placeholder.
std::vector<Piece> parse_template(std::string_view text);

// What is true of any accelerator, as templates end.
constexpr std::string_view kNotCpu = " != \"cpu\"";

// `{0/enabled} and {device.type} != "cpu"`: where the argument is True the rest is left, where it is False nothing else. `written` gives an argument
// as it is written; empty: it is not given.
void settle_constants(std::vector<Piece>& pieces, const std::function<std::string_view(const Piece::Which&)>& written);

// Checks every name of torch in the template against torch_names.tsv and fills in `since` and `guarded`. Throws Error.
void check_template(FixTemplate& fix);

// The dotted names that begin with "torch." in a piece of code, each once.
std::vector<std::string> torch_names_in(std::string_view code);

}  // namespace torchport
