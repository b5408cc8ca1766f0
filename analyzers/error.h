// The user's or the environment's fault, with what is wrong and what to do. Thrown where the run cannot go on and caught once, in main.
// Not for a scanned file that could not be understood: that is data (see FileFacts::status).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace torchport {

class Error : public std::runtime_error {
 public:
  // `line` 0: the error is about no line. `hint` says what to do, without a final period.
  Error(std::string message, std::string path = {}, std::uint32_t line = 0, std::string hint = {})
      : std::runtime_error(format(message, path, line, hint)) {}

 private:
  static std::string format(const std::string& message, const std::string& path, std::uint32_t line, const std::string& hint) {
    std::string text = path;
    if (line != 0) text += ":" + std::to_string(line);
    if (!text.empty()) text += ": ";
    text += message;
    if (!hint.empty()) text += "; " + hint;
    return text;
  }
};

}  // namespace torchport
