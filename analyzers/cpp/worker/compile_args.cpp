#include "analyzers/cpp/worker/compile_args.h"

#include <clang/Tooling/JSONCompilationDatabase.h>
#include <llvm/Support/Path.h>

namespace torchport::worker {

namespace tooling = clang::tooling;

std::unique_ptr<tooling::CompilationDatabase> database_in(const std::string& folder) {
  std::string why;
  return tooling::JSONCompilationDatabase::loadFromFile(folder + "/compile_commands.json", why, tooling::JSONCommandLineSyntax::AutoDetect);
}

std::vector<std::string> arguments_for(const tooling::CompilationDatabase& database, const std::string& file) {
  std::vector<std::string> out;
  const std::vector<tooling::CompileCommand> commands = database.getCompileCommands(file);
  if (commands.empty()) return out;
  const std::vector<std::string>& words = commands.front().CommandLine;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const llvm::StringRef flag : {"-D", "-U", "-I", "-isystem", "-iquote"}) {
      llvm::StringRef value = words[i];
      if (!value.consume_front(flag)) continue;
      if (value.empty() && i + 1 < words.size()) value = words[++i];
      if (flag == "-D" || flag == "-U") {
        out.push_back((flag + value).str());
      } else {
        llvm::SmallString<256> folder(value);
        llvm::sys::fs::make_absolute(commands.front().Directory, folder);
        llvm::sys::path::remove_dots(folder, true);
        out.push_back(("-I" + folder).str());
      }
      break;
    }
  }
  return out;
}

}  // namespace torchport::worker
