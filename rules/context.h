// What a check works on: one file's facts and what was found in it so far.
#pragma once

#include <vector>

#include "rules/catalogue.h"
#include "rules/finding.h"
#include "rules/fix.h"
#include "rules/match.h"
#include "rules/ops.h"
#include "rules/run.h"
#include "rules/tensors.h"

namespace torchport {

// A finding with the use that it stands on (kNone: on none).
struct Hit {
  Finding finding;
  UseId use = kNone;
  const FixTemplate* from = nullptr;
};

struct Context {
  const Catalogue& catalogue;
  const SourceFile& source;
  const FileFacts& facts;
  const RunOptions& options;
  std::uint32_t file;
  std::vector<Hit> hits;
  std::vector<std::int32_t> hit_of_use;   // by UseId: index into hits or kNone
  const Tensors& tensors;
  const OpUses& ops;
  Matcher& matcher;

  // A finding of the rule on the use, with impacts as the guards around it leave them, and no fix yet.
  Hit& add(const Rule& rule, UseId use);
  // The same with impacts of its own instead of the rule's; guarded, nothing blocks.
  Hit& add(const Rule& rule, UseId use, const Impacts& impact);
  // Whether the use meets the rule before any other, and has no finding yet.
  bool due(const Rule& rule, UseId use) const;
  // Adds a finding of the rule for each use that is due, and hands both on. The hit holds until the next one is added.
  template <typename Then>
  void add_due(const Rule& rule, const Then& then) {
    for (std::size_t i = 0; i < facts.uses.size(); ++i) {
      if (due(rule, static_cast<UseId>(i))) then(facts.uses[i], add(rule, static_cast<UseId>(i)));
    }
  }
  const Use& use(UseId id) const { return facts.uses[static_cast<std::size_t>(id)]; }
  const Guard& guard(GuardId id) const { return facts.guards[static_cast<std::size_t>(id)]; }
  // A fix of these edits plus those of the device; sorted.
  static Fix fix(Applicability applicability, std::string message, std::vector<Edit> edits, const std::vector<Edit>& more = {});
};

// The impacts of a use under its guards: where the guarded code never runs, `guarded`; where another arm serves the target, None.
Impacts guarded_impacts(const FileFacts& facts, const Use& use, const Impacts& base, const Impacts& guarded, bool& is_guarded);

}  // namespace torchport
