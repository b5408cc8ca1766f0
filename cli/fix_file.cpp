#include "cli/fix_file.h"

#include <algorithm>
#include <set>

#include "cli/add_allows.h"
#include "rewriter/rewrite.h"

namespace torchport {
namespace {

constexpr int kMostRounds = 10;

void take_left(FixedText& fixed, const Job& job, const SourceFile& source, const Rewrite& rewrite) {
  fixed.left.clear();
  for (const LeftFix& left : rewrite.left) {
    const Finding& finding = *left.finding;
    if (finding.suppressed || finding.rule->family == "file") continue;
    fixed.left.push_back(
        {finding.rule, worst_impact(finding, job.targets), source.position(finding.span.start), left.why});
  }
}

}  // namespace

namespace {

FixedText allowed_text(const Job& job, const Input& input, const std::string& bytes, Language language) {
  AllowsAdded added = add_allows(job, input, bytes, language);
  FixedText fixed;
  const SourceFile source(input.path, bytes);
  for (const Finding& f : added.allowed) fixed.applied.push_back({f.rule, Applicability::Safe});
  for (const Finding& f : added.left) {
    fixed.left.push_back({f.rule, worst_impact(f, job.targets), source.position(f.span.start), "no comment can stand there; allow it in torchport.yaml"});
  }
  fixed.text = std::move(added.text);
  return fixed;
}

// Where a text is large its unchanged end is left out but for what may hang together with the change: parsing it twice would take minutes.
bool parses_worse(std::string_view after, std::string_view before, Language language) {
  constexpr std::size_t kLarge = 4U << 20, kBehind = 64U << 10;
  if (before.size() > kLarge) {
    const auto [a, b] = std::mismatch(after.rbegin(), after.rend(), before.rbegin(), before.rend());
    const auto same = static_cast<std::size_t>(b - before.rbegin());
    const std::size_t cut = same - std::min(same, kBehind);
    after.remove_suffix(cut);
    before.remove_suffix(cut);
  }
  return count_syntax_errors(after, language) > count_syntax_errors(before, language);
}

// One try, without the fixes of the rules that are left out.
FixedText fix_without(const Job& job, const Input& input, const std::string& bytes, Language language, const std::set<const Rule*>& out) {
  FixedText fixed;
  fixed.text = bytes;
  for (int round = 0;; ++round) {
    const SourceFile source(input.path, fixed.text);
    const FileFacts facts = analyze(source, language, job.catalogue.interest);
    std::vector<Finding> findings = findings_of(job, input, source, facts, 0);
    for (Finding& f : findings) {
      if (f.fix && out.count(f.rule) != 0) f.fix = Fix{Applicability::Manual, "the result would not parse", {}};
    }
    Rewrite rewrite = apply_fixes(fixed.text, findings, job.options.unsafe);
    take_left(fixed, job, source, rewrite);
    if (rewrite.applied.empty() || rewrite.text == fixed.text) break;
    if (round == kMostRounds) {
      fixed.refused = "its fixes come to no rest";
      break;
    }
    for (const Finding* finding : rewrite.applied)
      fixed.applied.push_back({finding->rule, finding->fix->applicability});
    fixed.text = std::move(rewrite.text);
  }
  if (fixed.refused.empty() && fixed.text != bytes && parses_worse(fixed.text, bytes, language)) {
    fixed.refused = "the result would not parse";
  }
  if (!fixed.refused.empty()) {
    fixed.text = bytes;
    fixed.tried = std::move(fixed.applied);
    fixed.applied.clear();
  }
  return fixed;
}

}  // namespace

FixedText fix_text(const Job& job, const Input& input, const std::string& bytes, Language language) {
  if (job.options.add_allows) return allowed_text(job, input, bytes, language);
  FixedText fixed = fix_without(job, input, bytes, language, {});
  if (fixed.refused.empty()) return fixed;
  // One rule's fix spoils the file: the others need not wait for it.
  std::set<const Rule*> tried;
  for (const AppliedFix& applied : fixed.tried) tried.insert(applied.rule);
  for (const Rule* rule : tried) {
    FixedText rest = fix_without(job, input, bytes, language, {rule});
    if (rest.refused.empty()) return rest;
  }
  return fixed;
}

}  // namespace torchport
