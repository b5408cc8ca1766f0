// The programs of torchport that need libtorch. They are built on demand and lie beside torchport; nothing else is
// looked for, and they run only where a command needs one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchport {

// What the program prints. `variable` may name another one of its kind. Throws Error where it is not there, and what
// it says is wrong with `path` where it fails.
std::string run_program(const std::string& name, const char* variable, const std::vector<std::string>& arguments,
                        const std::string& path);

// The same of any other command.
std::string run_command(const std::vector<std::string>& command, const std::string& path);

}  // namespace torchport
