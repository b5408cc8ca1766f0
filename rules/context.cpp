#include "rules/context.h"

#include <algorithm>

namespace torchport {
namespace {

bool serves(const std::vector<std::string_view>& others, std::string_view target) {
  return std::find(others.begin(), others.end(), target) != others.end();
}

// Where CUDA is asked for and the code does not run: each target by what runs instead.
// A chain with arms for several accelerators is portable code; only where its arm chooses the device is the list worth a word.
void soften(const Guard& guard, const Use& use, const Impacts& guarded, Impacts& out) {
  const Impact most = use.kind == UseKind::Literal || use.kind == UseKind::Choice ? Impact::Cosmetic : Impact::None;
  const bool generic = serves(guard.others, "accelerator");
  const auto accelerators = std::count_if(guard.others.begin(), guard.others.end(), [](std::string_view o) { return o != "cuda" && o != "cpu" && o != "accelerator"; });
  for (std::size_t i = 0; i < kTargetCount; ++i) {
    const auto target = static_cast<Target>(i);
    if (target == Target::Cuda || target == Target::Rocm) continue;
    if (target == Target::Cpu || generic || serves(guard.others, name_of(target))) {
      out[i] = Impact::None;
    } else {
      out[i] = std::min(out[i], accelerators >= 2 ? std::min(guarded[i], most) : guarded[i]);
    }
  }
}

// What is compiled for CUDA only is not there elsewhere; what is compiled for ROCm only is nowhere else, and a tie by its name at most.
void built(const Guard& guard, const Impacts& guarded, Impacts& out, bool& is_guarded) {
  const bool rocm = guard.device == "rocm";
  for (std::size_t i = 0; i < kTargetCount; ++i) {
    const auto target = static_cast<Target>(i);
    const bool there = rocm ? target == Target::Rocm : target == Target::Rocm || target == Target::Cuda;
    if (there == guard.holds) continue;
    if (rocm || !guard.holds) {
      out[i] = target == Target::Cuda || target == Target::Rocm ? Impact::None : std::min(out[i], Impact::Cosmetic);
    } else if (guard.otherwise != Otherwise::Raises) {
      is_guarded = true;
      out[i] = std::min(out[i], guard.otherwise == Otherwise::OtherPath ? Impact::Cosmetic : guarded[i]);
    }
  }
}

}  // namespace

Impacts guarded_impacts(const FileFacts& facts, const Use& use, const Impacts& base, const Impacts& guarded, bool& is_guarded) {
  Impacts out = base;
  is_guarded = false;
  for (GuardId id = use.guard; id != kNone; id = facts.guards[static_cast<std::size_t>(id)].outer) {
    const Guard& guard = facts.guards[static_cast<std::size_t>(id)];
    if (guard.condition.contains(use.span)) continue;
    const bool cuda = guard.device == "cuda" || guard.device == "rocm";
    if (guard.kind == GuardKind::Version || guard.kind == GuardKind::Caught) continue;
    // Where torch has no accelerator module, CUDA is what the code had; where the device is ROCm's, its name is "cuda".
    const bool old_torch = guard.kind == GuardKind::Exists && guard.device == "accelerator" && !guard.holds;
    const bool on_rocm = guard.kind == GuardKind::DeviceType && guard.device == "rocm" && guard.holds;
    if (old_torch || on_rocm) {
      out = {};
      is_guarded = true;
      continue;
    }
    if (guard.kind == GuardKind::Build) {
      built(guard, guarded, out, is_guarded);
      continue;
    }
    if (guard.kind == GuardKind::Import) {
      if (!guard.holds) continue;
      is_guarded = true;
      for (std::size_t i = 0; i < kTargetCount; ++i) out[i] = std::min(out[i], guarded[i]);
    } else if (guard.holds && cuda) {
      // A program that refuses to run without CUDA is no better off for it.
      if (guard.otherwise == Otherwise::Raises) continue;
      is_guarded = true;
      if (guard.otherwise == Otherwise::Skips) {
        for (std::size_t i = 0; i < kTargetCount; ++i) out[i] = std::min(out[i], Impact::Degrades);
        continue;
      }
      soften(guard, use, guarded, out);
    } else if (guard.holds && !guard.device.empty() && guard.device != "accelerator" && guard.device != "cpu") {
      // Code for another device type: only there it runs.
      for (std::size_t i = 0; i < kTargetCount; ++i) {
        if (name_of(static_cast<Target>(i)) != guard.device) out[i] = Impact::None;
      }
      is_guarded = true;
    } else if (!guard.holds && guard.kind == GuardKind::DeviceType && guard.device != "cpu" && target_named(guard.device) && !cuda) {
      out[static_cast<std::size_t>(*target_named(guard.device))] = Impact::None;  // never runs there
    } else if ((!guard.holds && guard.device == "cpu") || (guard.holds && guard.device == "accelerator")) {
      out[static_cast<std::size_t>(Target::Cpu)] = Impact::None;
    } else if (guard.holds && guard.device == "cpu") {
      for (std::size_t i = 0; i < kTargetCount; ++i) {
        if (static_cast<Target>(i) != Target::Cpu) out[i] = std::min(out[i], Impact::Cosmetic);
      }
    }
  }
  return out;
}

namespace {

// The innermost function or class around a place.
std::int32_t function_around(const FileFacts& facts, Span at) {
  std::int32_t found = 0;
  for (std::size_t i = 1; i < facts.functions.size() && facts.functions[i].span.start <= at.start; ++i) {
    if (facts.functions[i].span.contains(at)) found = static_cast<std::int32_t>(i);
  }
  return found;
}

}  // namespace

static LaunchReport launch_of(const SourceFile& source, const Use& use) {
  LaunchReport launch;
  for (const Arg& arg : use.args) {
    std::string* field = arg.keyword == "grid" ? &launch.grid : arg.keyword == "block" ? &launch.block : arg.keyword == "shared" ? &launch.shared : arg.keyword == "stream" ? &launch.stream : nullptr;
    if (field != nullptr) *field = std::string(source.text(arg.span));
  }
  return launch;
}

bool Context::due(const Rule& rule, UseId id) const {
  const auto entry = matcher.match(use(id));
  return entry && &catalogue.rules[entry->rule] == &rule && hit_of_use[static_cast<std::size_t>(id)] == kNone;
}

Hit& Context::add(const Rule& rule, UseId id) {
  const Use& u = use(id);
  Hit hit;
  hit.use = id;
  Finding& f = hit.finding;
  f.rule = &rule;
  f.file = file;
  f.span = u.kind == UseKind::Call || u.kind == UseKind::Assign || u.kind == UseKind::Index ? u.callee : u.span;
  if (u.kind == UseKind::Call && (u.symbol.substr(0, 2) == "*." || u.via == Via::Type)) {
    // A method stands at its name: what it is called on may span many lines.
    f.span.start = f.span.end = u.callee.end;
    f.span.start -= static_cast<std::uint32_t>(u.symbol.size() - u.symbol.rfind('.') - 1);
  }
  f.message = rule.message;
  f.symbol = u.symbol;
  f.via = u.via;
  f.impact = guarded_impacts(facts, u, rule.impact, rule.guarded, f.guarded);
  f.function = facts.functions[static_cast<std::size_t>(u.scope)].name;
  for (const Span flow : u.flows) {
    // What goes through a variable is seen without a word; through a parameter it is not.
    const bool variable = u.place == Place::Assigned || u.place == Place::Environment;
    if (u.kind != UseKind::Kernel && u.kind != UseKind::Mention && (variable || function_around(facts, flow) == function_around(facts, u.span))) continue;
    f.related.push_back({file, flow, u.kind == UseKind::Kernel ? "launched here" : u.kind == UseKind::Mention ? "written here by its macro" : "given as a device here"});
  }
  if (u.kind == UseKind::Launch) f.launch = launch_of(source, u);
  const std::size_t at = f.message.find("{symbol}");
  if (at != std::string::npos) f.message.replace(at, 8, u.symbol);
  hit_of_use[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(hits.size());
  hits.push_back(std::move(hit));
  return hits.back();
}

Hit& Context::add(const Rule& rule, UseId id, const Impacts& impact) {
  Hit& hit = add(rule, id);
  Impacts guarded = impact;
  for (Impact& i : guarded) i = std::min(i, Impact::Degrades);
  hit.finding.impact = guarded_impacts(facts, use(id), impact, guarded, hit.finding.guarded);
  return hit;
}

Fix Context::fix(Applicability applicability, std::string message, std::vector<Edit> edits, const std::vector<Edit>& more) {
  edits.insert(edits.end(), more.begin(), more.end());
  tidy(edits);
  return {applicability, std::move(message), std::move(edits)};
}

}  // namespace torchport
