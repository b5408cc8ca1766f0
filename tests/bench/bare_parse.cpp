// What a scan is measured against: reads the files that LIST names, parses each with tree-sitter, throws the tree away.
//   bare_parse LIST [JOBS]
#include <tree_sitter/api.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

extern "C" const TSLanguage* tree_sitter_python();

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bare_parse LIST [JOBS]\n", stderr);
    return 2;
  }
  std::ifstream list(argv[1]);
  std::vector<std::string> paths;
  for (std::string line; std::getline(list, line);) paths.push_back(line);
  const int jobs = argc > 2 ? std::atoi(argv[2]) : 1;

  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> bytes = 0;
  std::atomic<std::size_t> with_errors = 0;
  auto work = [&] {
    TSParser* parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_python());
    for (std::size_t i = next++; i < paths.size(); i = next++) {
      std::ifstream file(paths[i], std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      TSTree* tree = ts_parser_parse_string(parser, nullptr, text.data(), static_cast<std::uint32_t>(text.size()));
      bytes += text.size();
      with_errors += ts_node_has_error(ts_tree_root_node(tree));
      ts_tree_delete(tree);
    }
    ts_parser_delete(parser);
  };
  std::vector<std::thread> pool;
  for (int i = 1; i < jobs; ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  std::printf("%zu files, %zu bytes, %zu with errors\n", paths.size(), bytes.load(), with_errors.load());
}
