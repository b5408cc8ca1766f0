#include "analyzers/cpp/analyze_cpp.h"

#include <algorithm>

#include "analyzers/allow_text.h"
#include "analyzers/cpp/collect.h"
#include "analyzers/cpp/natives.h"
#include "analyzers/cpp/registrations.h"
#include "analyzers/cpp/variables.h"
#include "analyzers/markers.h"
#include "analyzers/text.h"

namespace torchport::cpp {
namespace {

// More is a table of numbers that some program wrote, and would take the memory of the whole run.
constexpr std::size_t kMostBytes = 4U << 20;

// At the end of a line: that line. On a line of its own: the statement below, up to its semicolon or the brace that opens its body.
void add_allows(const SourceFile& source, const Tokens& tokens, FileFacts& facts) {
  for (const Span comment : tokens.comments) {
    std::string_view text = source.text(comment);
    text.remove_prefix(2);
    if (source.text(comment).starts_with("/*") && text.ends_with("*/")) text.remove_suffix(2);
    std::optional<AllowText> said = allow_text(text, comment);
    if (!said) continue;
    Allow& allow = said->allow;
    const std::uint32_t line = source.position(comment.start).line;
    allow.first_line = allow.last_line = line;
    const bool own_line = trimmed(source.text({source.line_span(line).start, comment.start})).empty();
    const auto next = std::lower_bound(tokens.all.begin(), tokens.all.end(), comment.end, [](const Token& t, std::uint32_t at) { return t.span.start < at; });
    if (said->file) {
      allow.first_line = 1;
      allow.last_line = source.line_count();
    } else if (own_line && next != tokens.all.end()) {
      auto last = next;
      while (last + 1 != tokens.all.end() && last->first != ';' && last->first != '{' && last->directive == next->directive) ++last;
      allow.first_line = source.position(next->span.start).line;
      std::uint32_t end = last->span.start;
      for (const NativeFunction& function : facts.natives) {
        const bool here = function.span.start >= next->span.start && function.span.start <= end && function.head.end <= end;
        if (here && last->first == '{' && function.span.contains(last->span)) end = std::max(end, function.span.end - 1);
      }
      allow.last_line = source.position(end).line;
    } else if (own_line) {
      allow.first_line = allow.last_line = std::min(line + 1, source.line_count());
    }
    facts.allows.push_back(std::move(allow));
  }
}

// New includes go behind the last one that stands at the top, under no condition but the header's own guard.
void add_prelude(const SourceFile& source, const Tokens& tokens, FileFacts& facts) {
  const auto& all = tokens.directives;
  const bool guarded = all.size() > 1 && all[0].word == "ifndef" && all[1].word == "define" && all[1].first < all[1].last && tokens.is(all[0].first, tokens.of(all[1].first));
  int depth = guarded ? -1 : 0;
  bool above = false, below = false;
  facts.prelude.after_imports = static_cast<std::uint32_t>(mark_size(source.text()));
  for (const Directive& d : all) {
    if (!facts.natives.empty() && d.span.start > facts.natives.front().span.start) break;
    depth += d.word.starts_with("if") ? 1 : d.word == "endif" ? -1 : 0;
    if (d.word != "include") continue;
    const std::string_view said = source.text(d.span);
    if (said.find("torch/") != said.npos || said.find("ATen/") != said.npos || said.find("c10/") != said.npos) (depth == 0 ? above : below) = true;
    if (depth != 0) continue;
    const std::uint32_t line = source.position(d.span.end).line;
    facts.prelude.after_imports = line < source.line_count() ? source.line_span(line + 1).start : static_cast<std::uint32_t>(source.text().size());
    if (facts.prelude.first_import == 0) facts.prelude.first_import = d.span.start;
  }
  facts.prelude.conditional_torch = below && !above;
}

bool unclosed(std::string_view comment) { return comment.starts_with("/*") && (comment.size() < 4 || !comment.ends_with("*/")); }

}  // namespace

FileFacts analyze_cpp(const SourceFile& source, const Interest& interest) {
  FileFacts facts;
  facts.language = Language::Cpp;
  if (source.text().starts_with("\xff\xfe") || source.text().starts_with("\xfe\xff")) {
    facts.status = Status::Failed;
    facts.status_why = "is UTF-16, which no compiler of CUDA reads; save it as UTF-8";
    return facts;
  }
  if (!holds_marker(source.text(), interest.native.markers)) return facts;
  facts.status = Status::Full;
  std::string_view text = source.text();
  if (text.size() > kMostBytes) {
    text = text.substr(0, kMostBytes);
    facts.status = Status::Partial;
    facts.status_why = "is larger than 4 MiB; what comes after was not analysed";
    facts.status_span = {static_cast<std::uint32_t>(kMostBytes), static_cast<std::uint32_t>(kMostBytes)};
  }
  const Tokens tokens = tokenize(text);
  if (const Span last = tokens.comments.empty() ? Span{} : tokens.comments.back(); facts.status == Status::Full && unclosed(tokens.slice(last))) {
    facts.status = Status::Partial;
    facts.status_why = "a comment is not closed; what it swallows was not analysed";
    facts.status_span = last;
  }
  const Structure structure = structure_of(tokens);
  const std::vector<WordMeaning> meanings = meanings_of(tokens, interest.native);
  const Conditions conditions = conditions_of(tokens, interest.native);
  facts.guards = conditions.guards;
  add_natives(tokens, structure, meanings, interest.native, source, facts);
  add_registrations(tokens, structure, facts);
  collect({source, tokens, structure, meanings, conditions, interest.native}, facts);
  add_variables(tokens, structure, facts);
  add_prelude(source, tokens, facts);
  add_allows(source, tokens, facts);
  return facts;
}

}  // namespace torchport::cpp
