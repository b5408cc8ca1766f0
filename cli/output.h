// Where a command's result goes: standard output as it comes, or a file that is written whole at the end. Notes for
// people go to standard error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace torchport {

// Whoever read our output has gone: the run is over and was a success.
struct ClosedPipe {};

class Output {
 public:
  // `file` empty: standard output.
  explicit Output(std::string file) : file_(std::move(file)) {}

  // Both throw ClosedPipe, or Error where it cannot be written.
  void write(std::string_view text);
  void finish();

  bool colour() const;        // a terminal that wants colours (NO_COLOR, TERM)
  std::size_t width() const;  // of the terminal; 120 elsewhere

 private:
  std::string file_;
  std::string buffer_;
};

// Closed ones would let the next file that is opened take their number, and so be written into.
void open_standard_files();
// One line on standard error, "torchport: …".
void note(std::string_view text);
// Lines on standard error as they are.
void print_error(std::string_view text);
std::string read_stdin();

}  // namespace torchport
