// Which files a scan parses: of the paths on stdin, prints those that hold a marker word of the built-in rules.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "rules/catalogue.h"

int main() {
  const torchport::Catalogue catalogue = torchport::built_in_catalogue();
  for (std::string path; std::getline(std::cin, path);) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const std::string& marker : catalogue.interest.markers) {
      if (text.find(marker) == std::string::npos) continue;
      std::cout << path << '\n';
      break;
    }
  }
}
