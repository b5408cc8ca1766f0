#include "cli/add_allows.h"

#include <algorithm>
#include <map>
#include <set>

#include "rewriter/rewrite.h"

namespace torchport {
namespace {

constexpr std::string_view kMark = "torchport: allow ";
constexpr std::string_view kWhy = " -- was there before";

struct Wanted {
  std::uint32_t line;
  const Rule* rule;
  std::size_t tries = 0;
  std::vector<std::uint32_t> lines;  // where its comment may stand, best first
};

std::vector<Finding> open_findings(const Job& job, const Input& input, const SourceFile& source, const FileFacts& facts) {
  std::vector<Finding> found = findings_of(job, input, source, facts, 0);
  std::erase_if(found, [&](const Finding& f) {
    return f.suppressed || f.rule->family == "file" || worst_impact(f, job.targets) == Impact::None;
  });
  return found;
}

// The line of the finding, and that on which its statement ends.
std::vector<std::uint32_t> places(const SourceFile& source, const FileFacts& facts, const Finding& f) {
  std::vector<std::uint32_t> lines{source.position(f.span.start).line};
  Span statement{0, 0};
  for (const Use& use : facts.uses) {
    const bool nearer = statement.end == 0 || use.statement.end - use.statement.start < statement.end - statement.start;
    if (use.statement.contains(f.span) && nearer) statement = use.statement;
  }
  if (statement.end > 0) lines.push_back(source.position(statement.end - 1).line);
  // Behind the backslash of a macro's line a comment would end the macro.
  std::erase_if(lines, [&](std::uint32_t line) { return source.line_text(line).ends_with('\\'); });
  return lines;
}

std::string with_comments(const SourceFile& source, Language language, const std::map<std::uint32_t, std::set<std::string>>& comments) {
  const std::string_view mark = language == Language::Python ? "# " : "// ";
  std::string text;
  std::uint32_t done = 0;
  for (const auto& [line, ids] : comments) {
    const Span span = source.line_span(line);
    std::string names;
    for (const std::string& id : ids) names += (names.empty() ? "" : ", ") + id;
    const std::string_view old = source.text(span);
    const std::size_t known = old.find(kMark);
    const std::uint32_t at = known == std::string_view::npos ? span.end : span.start + static_cast<std::uint32_t>(known + kMark.size());
    text += source.text({done, at});
    if (known != std::string_view::npos) {
      text += names + ", ";
    } else {
      text.append("  ").append(mark).append(kMark).append(names).append(kWhy);
    }
    done = at;
  }
  return text += source.text({done, static_cast<std::uint32_t>(source.text().size())});
}

}  // namespace

AllowsAdded add_allows(const Job& job, const Input& input, const std::string& bytes, Language language) {
  const SourceFile source(input.path, bytes);
  const FileFacts facts = analyze(source, language, job.catalogue.interest);
  AllowsAdded result{bytes, open_findings(job, input, source, facts), {}};
  std::vector<Wanted> wanted;
  for (const Finding& f : result.allowed) wanted.push_back({source.position(f.span.start).line, f.rule, 0, places(source, facts, f)});
  const std::size_t errors = count_syntax_errors(bytes, language);
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds && !wanted.empty(); ++round) {
    std::map<std::uint32_t, std::set<std::string>> comments;
    for (const Wanted& w : wanted) {
      if (w.tries < w.lines.size()) comments[w.lines[w.tries]].insert(w.rule->id);
    }
    result.text = with_comments(source, language, comments);
    // No line moves, so that a finding is known by its line and its rule.
    const SourceFile now(input.path, result.text);
    std::set<std::pair<std::uint32_t, const Rule*>> open;
    const FileFacts after = analyze(now, language, job.catalogue.interest);
    // The end of a line may lie in a string: what went there is no comment.
    std::set<std::uint32_t> comment_lines;
    for (const Allow& allow : after.allows) comment_lines.insert(now.position(allow.span.start).line);
    for (const Finding& f : open_findings(job, input, now, after)) {
      open.insert({now.position(f.span.start).line, f.rule});
    }
    const bool broken = count_syntax_errors(result.text, language) > errors;
    bool settled = !broken;
    for (Wanted& w : wanted) {
      if (w.tries >= w.lines.size()) continue;
      if (!broken && open.count({w.line, w.rule}) == 0 && comment_lines.count(w.lines[w.tries]) != 0) continue;
      ++w.tries;
      settled = false;
    }
    if (settled) break;
    if (round + 1 == kRounds) result.text = bytes;
  }
  std::vector<Finding> allowed;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool placed = wanted[i].tries < wanted[i].lines.size() && result.text != bytes;
    (placed ? allowed : result.left).push_back(std::move(result.allowed[i]));
  }
  result.allowed = std::move(allowed);
  return result;
}

}  // namespace torchport
