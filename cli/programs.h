// The programs that torchport runs. Its own lie beside it; nothing else is looked for. Those that need libtorch are built
// on demand, and run only where a command needs one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchport {

// Where a program of ours would lie; empty where the system does not tell.
std::string path_beside(const std::string& name);
bool is_program(const std::string& path);

// What the program prints. `variable` may name another one of its kind. Throws Error where it is not there, and what
// it says is wrong with `path` where it fails.
std::string run_program(const std::string& name, const char* variable, const std::vector<std::string>& arguments,
                        const std::string& path);

// The same of any other command.
std::string run_command(const std::vector<std::string>& command, const std::string& path);

}  // namespace torchport
