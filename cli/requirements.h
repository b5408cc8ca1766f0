// Which torch a project says it runs on, read from the files that name its dependencies. A reading of lines, not a
// solver: nothing is executed, installed or downloaded, and a file that cannot be read is as if it were not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace torchport {

struct TorchPin {
  // The oldest torch allowed, 100 * major + minor. A project with no more than an upper bound gets the newest version
  // below it, which may be newer than any that we know. 0: torch is named, any version will do.
  std::uint32_t version = 0;
  std::string text;   // "2.4"; empty where version is 0
  std::string where;  // "requirements.txt:3", relative to the root
};

// From requirements*.txt, requirements/*.txt, pyproject.toml, setup.cfg, setup.py and environment.yml (or .yaml) in
// `root` itself. Of several the lowest; unpinned ones count only where there is no other. Nothing where no file names
// torch.
std::optional<TorchPin> project_torch(const std::string& root);

// What one requirement says ("torch[opt]>=2.1,<3 ; python_version > '3.8'", "torch @ https://…/torch-2.0.1-….whl"); 0:
// any version. Nothing where it is about another package or is no requirement.
std::optional<std::uint32_t> torch_requirement(std::string_view requirement);
// The same for a bare specifier: ">=2.1,<3", "~=2.3", "==2.*", "^2.1 || ^3", "2.1.*".
std::optional<std::uint32_t> torch_specifier(std::string_view specifier);

}  // namespace torchport
