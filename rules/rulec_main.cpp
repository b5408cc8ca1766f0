// torchport-rulec OUT FOLDER…: checks the rules of the folders and writes them as one file, which is then built in.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "analyzers/error.h"
#include "rules/compiled.h"
#include "rules/load.h"

namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw torchport::Error("cannot be read", file.string());
  return text.str();
}

int compile(const fs::path& out, const std::vector<fs::path>& folders) {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  torchport::Catalogue catalogue;
  for (const fs::path& file : files) {
    const std::string name = fs::relative(file).generic_string();
    torchport::add_document(catalogue, torchport::yaml_to_json(read(file), name), name, false);
  }
  torchport::finish_catalogue(catalogue);
  std::ofstream(out, std::ios::binary) << torchport::compile_catalogue(catalogue);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: torchport-rulec OUT FOLDER...\n", stderr);
    return 2;
  }
  try {
    return compile(argv[1], std::vector<fs::path>(argv + 2, argv + argc));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
