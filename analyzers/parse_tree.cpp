#include "analyzers/parse_tree.h"

#include <cstdint>

namespace torchport {
namespace {

struct ParserDelete {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};

}  // namespace

TreeOwner parse_tree(const TSLanguage* language, std::string_view text) {
  const std::unique_ptr<TSParser, ParserDelete> parser(ts_parser_new());
  ts_parser_set_language(parser.get(), language);
  TSInput input{};
  input.payload = &text;
  input.encoding = TSInputEncodingUTF8;
  input.read = [](void* payload, std::uint32_t at, TSPoint, std::uint32_t* size) -> const char* {
    const auto& all = *static_cast<std::string_view*>(payload);
    *size = at < all.size() ? static_cast<std::uint32_t>(all.size()) - at : 0;
    return *size == 0 ? "" : all.data() + at;
  };
  // Counted in calls and not in time, so that the outcome is the same on every machine.
  std::uint64_t left = 20000 + text.size() / 2;
  TSParseOptions options{};
  options.payload = &left;
  options.progress_callback = [](TSParseState* state) -> bool { return (*static_cast<std::uint64_t*>(state->payload))-- == 0; };
  return TreeOwner(ts_parser_parse_with_options(parser.get(), nullptr, input, options));
}

}  // namespace torchport
