#include "analyzers/python/analyze_python.h"

#include "analyzers/markers.h"
#include "analyzers/python/collect.h"
#include "analyzers/python/handles.h"

namespace torchport::python {

FileFacts analyze_python(const SourceFile& source, const Interest& interest) {
  FileFacts facts;
  const std::string_view bytes = source.text();
  const bool marked = holds_marker(bytes, interest.markers);
  // UTF-16 spells every word with zero bytes between its letters.
  const bool wide = bytes.size() >= 2 && (bytes.substr(0, 2) == "\xff\xfe" || bytes.substr(0, 2) == "\xfe\xff");
  if (!marked && !wide) return facts;
  std::string why;
  const std::optional<std::string> changed = parseable(bytes, why);
  if (!why.empty()) {
    facts.status = Status::Failed;
    facts.status_why = why;
    return facts;
  }
  const std::string_view text = changed ? std::string_view(facts.names.emplace_back(*changed)) : bytes;
  const Tree tree(text);
  facts.status = Status::Full;
  if (!tree.complete()) {
    facts.status = Status::Failed;
    facts.status_why = "costs too much to parse; leave it out of the scan";
    return facts;
  }
  if (!tree.errors().empty()) {
    facts.status = Status::Partial;
    facts.status_span = tree.errors().front();
    facts.status_why = std::to_string(tree.errors().size()) + (tree.errors().size() == 1 ? " place that is" : " places that are") +
                       " no Python 3; analysed around";
  }
  Collector collector(source, tree, interest, facts);
  collector.run();
  find_handles(collector.values(), facts);
  find_prelude(collector.values(), facts);
  find_allows(tree, source, facts);
  return facts;
}

}  // namespace torchport::python
