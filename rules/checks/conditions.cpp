#include "rules/checks/conditions.h"

#include <algorithm>

namespace torchport {
namespace {

// def have_cuda(): return torch.cuda.is_available(): "have_cuda()", by which conditions ask.
std::string helper_call(const Context& context, const Use& use) {
  const std::string_view statement = context.source.text(use.statement);
  if (!statement.starts_with("return ") || use.span.end != use.statement.end || use.scope == 0) return {};
  const std::string_view name = context.facts.functions[static_cast<std::size_t>(use.scope)].name;
  return std::string(name.substr(name.rfind('.') + 1)) + "()";
}

// import my_cuda_ops
bool imports_cuda(std::string_view body) {
  for (std::size_t at = body.find("import "); at != std::string_view::npos; at = body.find("import ", at + 1)) {
    const std::size_t start = body.rfind('\n', at);
    const std::string_view line = body.substr(start == std::string_view::npos ? 0 : start + 1, body.find('\n', at) - (start == std::string_view::npos ? 0 : start + 1));
    if (line.find("cuda") != std::string_view::npos && line.find("torch.cuda") == std::string_view::npos) return true;
  }
  return false;
}

// The name that a statement `name = …` or `self.name: bool = …` assigns; empty for others.
std::string_view assigned_name(const Context& context, const Use& use) {
  const std::string_view statement = context.source.text(use.statement);
  const std::size_t equals = statement.find('=');
  if (equals == std::string_view::npos || equals == 0 || use.statement.start + equals > use.span.start) return {};
  std::string_view name = statement.substr(0, statement.find_first_of("=:"));
  name = name.substr(0, name.find_last_not_of(" \t") + 1);
  const bool plain = name.find_first_of(" (['\"") == std::string_view::npos;
  return plain ? name : std::string_view();
}

// backend == "nccl" asks for NCCL and needs none.
bool is_compared(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, text.find_last_not_of(" \t", at == 0 ? 0 : at - 1) + 1);
  return before.ends_with("==") || before.ends_with("!=");
}

// CUDA in ways that no finding speaks of, outside comments: `["cuda"]`, `_C.fused(…)`, `CUDA_HOME`, `cuda_graph`.
bool names_cuda(const Context& context, Span where, const Use& self) {
  const std::string_view text = context.source.text().substr(0, where.end);
  for (const std::string_view word : {"\"cuda", "'cuda", "CUDA_HOME", "CUDAExtension", "CUDAGraph", "cuda_graph", "cudagraph", "\"nccl\"", "'nccl'", ".nccl", "nccl=", "xformers", "cupy", "_C."}) {
    for (std::size_t at = text.find(word, where.start); at < where.end; at = text.find(word, at + 1)) {
      const Span span{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + word.size())};
      if (self.span.contains(span) || (word.find("nccl") != word.npos && is_compared(text, at))) continue;
      const bool goes = std::any_of(context.hits.begin(), context.hits.end(), [&](const Hit& hit) {
        return hit.finding.fix && !hit.finding.fix->edits.empty() && hit.use != kNone && context.use(hit.use).span.contains(span);
      });
      const std::size_t hash = text.rfind('#', at);
      const std::size_t line = text.rfind('\n', at);
      const bool comment = hash != std::string_view::npos && (line == std::string_view::npos || hash > line);
      if (!goes && !comment) return true;
    }
  }
  return false;
}

}  // namespace

Consequences consequences(const Context& context, const Use& use) {
  Consequences c;
  const std::string_view flag = assigned_name(context, use);
  const std::string helper = helper_call(context, use);
  std::vector<Span> bodies;
  for (const Guard& guard : context.facts.guards) {
    const bool direct = guard.condition.contains(use.span);
    const std::string_view condition = context.source.text(guard.condition);
    const bool by_flag = (!flag.empty() && condition == flag) || (!helper.empty() && condition.ends_with(helper));
    if (!direct && !by_flag) continue;
    c.any = true;
    const bool positive = guard.holds && guard.device == "cuda";
    if (positive && guard.otherwise == Otherwise::Raises) c.raises = true;
    if (positive && guard.otherwise == Otherwise::Skips) c.skips = true;
    if (guard.otherwise == Otherwise::OtherPath) c.other_path = true;
    for (const std::string_view other : guard.others) {
      if (other != "cuda" && other != "cpu" && std::find(c.others.begin(), c.others.end(), other) == c.others.end()) c.others.push_back(other);
    }
    if (positive) bodies.push_back(guard.body);
  }
  const auto inside = [&](Span span) { return std::any_of(bodies.begin(), bodies.end(), [&](Span body) { return body.contains(span); }); };
  bool goes = false;
  for (const Hit& hit : context.hits) {
    if (hit.finding.span == use.callee || hit.finding.rule->family == "file") continue;
    if (!inside(hit.finding.span)) continue;
    const auto worst = *std::max_element(hit.finding.rule->impact.begin(), hit.finding.rule->impact.end());
    // backend == "nccl" is for people to see and holds nothing up.
    if (worst == Impact::Cosmetic && hit.use != kNone && context.use(hit.use).kind == UseKind::Literal) continue;
    c.ties = true;
    goes = goes || (hit.finding.fix && !hit.finding.fix->edits.empty());
    c.review = c.review || (hit.finding.fix && hit.finding.fix->applicability == Applicability::Review);
    // What would block elsewhere and cannot be rewritten must stay behind the CUDA condition.
    if (worst == Impact::Blocks && (!hit.finding.fix || hit.finding.fix->edits.empty())) c.unfixable = true;
  }
  // move = x.cuda: what it is called for later nobody sees here.
  const auto handed_on = [&](const Use& other) { return other.kind == UseKind::Reference && other.symbol == "*.cuda" && inside(other.span); };
  if (!bodies.empty() && !c.review) c.review = std::any_of(context.facts.uses.begin(), context.facts.uses.end(), handed_on);
  // Nothing in there changes: then the question must not either.
  if (c.ties && !goes) c.unfixable = true;
  for (const Span body : bodies) c.unfixable = c.unfixable || names_cuda(context, body, use) || imports_cuda(context.source.text(body));
  return c;
}

bool meant_for_cuda(const Context& context, const Use& use) {
  constexpr std::size_t kReason = 200;
  std::string_view reason = context.source.text().substr(use.span.end, kReason);
  for (const std::string_view next : {"def ", "class ", "\n@", "\n    @"}) reason = reason.substr(0, reason.find(next));
  for (const std::string_view words : {"CUDA-only", "CUDA only", "cuda-only", "cuda only", "CUDA-specific", "CUDA specific"}) {
    if (reason.find(words) != std::string_view::npos) return true;
  }
  return false;
}

Impacts condition_impacts(const Consequences& c, const Impacts& base) {
  Impacts out = base;
  const bool generic = std::find(c.others.begin(), c.others.end(), "accelerator") != c.others.end();
  for (std::size_t i = 0; i < kTargetCount; ++i) {
    const auto target = static_cast<Target>(i);
    if (target == Target::Cuda || target == Target::Rocm) {
      out[i] = Impact::None;
    } else if (c.raises) {
      out[i] = Impact::Blocks;
    } else if (generic || std::find(c.others.begin(), c.others.end(), name_of(target)) != c.others.end()) {
      out[i] = Impact::None;
    } else if (c.skips) {
      out[i] = Impact::Degrades;
    } else if (c.others.size() >= 2) {
      out[i] = Impact::None;
    } else if (c.any && !c.ties) {
      out[i] = std::min(base[i], Impact::Cosmetic);
    }
  }
  return out;
}

}  // namespace torchport
