// Which files a scan parses: of the paths on stdin, prints those that hold a marker word of the built-in rules.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "analyzers/markers.h"
#include "rules/catalogue.h"

int main() {
  const torchport::Catalogue catalogue = torchport::built_in_catalogue();
  for (std::string path; std::getline(std::cin, path);) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (torchport::holds_marker(text, catalogue.interest.markers)) std::cout << path << '\n';
  }
}
