#include "rules/imports.h"
#include "analyzers/text.h"

#include <algorithm>

namespace torchport {
namespace {

// The dotted name that a template calls first: "torch.amp.autocast" of "torch.amp.autocast({device.type})".
std::string new_symbol(const FixTemplate& fix) {
  const std::vector<std::string> names = torch_names_in(fix.text);
  return names.empty() || fix.text.rfind(names[0], 0) != 0 ? std::string() : names[0];
}

class Linker {
 public:
  explicit Linker(Context& context) : c_(context) {}

  void run() {
    for (const ImportStatement& statement : c_.facts.imports) {
      for (std::size_t i = 0; i < statement.names.size(); ++i) {
        const UseId id = statement.names[i];
        const bool tie = id != kNone && (c_.use(id).symbol.rfind("torch.cuda", 0) == 0 || c_.hit_of_use[static_cast<std::size_t>(id)] != kNone);
        if (tie) link(statement, i);
      }
    }
  }

 private:
  void link(const ImportStatement& statement, std::size_t index) {
    const UseId import = statement.names[index];
    std::vector<std::int32_t> hits;
    for (std::size_t u = 0; u < c_.facts.uses.size(); ++u) {
      if (c_.facts.uses[u].import != import || static_cast<UseId>(u) == import) continue;
      const std::int32_t hit = c_.hit_of_use[u];
      if (hit == kNone || !c_.hits[static_cast<std::size_t>(hit)].finding.fix) return;
      hits.push_back(hit);
    }
    if (hits.empty()) return;
    // `import torch.cuda` binds torch itself, so nothing becomes unused.
    if (statement.module.empty() && c_.use(import).bound == "torch") return;
    std::optional<Fix> group = renamed(statement, index, hits);
    if (!group) group = dropped(statement, index, hits);
    if (!group) return;
    hits.push_back(c_.hit_of_use[static_cast<std::size_t>(import)]);
    for (const std::int32_t h : hits) {
      if (h != kNone) c_.hits[static_cast<std::size_t>(h)].finding.fix = group;
    }
  }

  // from torch.cuda.amp import autocast -> from torch.amp import autocast, where all uses want the same name of another module.
  std::optional<Fix> renamed(const ImportStatement& statement, std::size_t index, const std::vector<std::int32_t>& hits) {
    const Use& import = c_.use(statement.names[index]);
    if (statement.module.empty()) return std::nullopt;
    std::string target;
    Fix group;
    group.applicability = Applicability::Safe;
    for (const std::int32_t h : hits) {
      const Hit& hit = c_.hits[static_cast<std::size_t>(h)];
      if (hit.from == nullptr) return std::nullopt;
      const std::string symbol = new_symbol(*hit.from);
      const Use& use = c_.use(hit.use);
      const bool plain = c_.source.text(use.callee) == import.bound;
      if (symbol.empty() || !plain || last_part(symbol) != last_part(import.symbol) || (!target.empty() && target != symbol)) return std::nullopt;
      target = symbol;
      const FixSite site{c_.source, c_.facts, c_.options, use, true};
      std::optional<Fix> fix = make_fix({*hit.from}, site);
      if (!fix) return std::nullopt;
      merge(group, *fix);
    }
    const std::string module = target.substr(0, target.rfind('.'));
    if (statement.names.size() == 1) {
      group.edits.push_back({statement.module_span, module});
    } else {
      if (!split(statement, index, module, group)) return std::nullopt;
    }
    return finished(std::move(group));
  }

  // One name of several leaves its statement for a line of its own.
  bool split(const ImportStatement& statement, std::size_t index, const std::string& module, Fix& group) {
    const Use& import = c_.use(statement.names[index]);
    const bool all_go = std::all_of(statement.names.begin(), statement.names.end(), [&](UseId id) { return id != kNone && moves_to(id, module); });
    if (all_go) {
      group.edits.push_back({statement.module_span, module});
      // Each name's own group makes the same edit; they must be applied together.
      for (const UseId id : statement.names) add_uses_of(id, group);
      return true;
    }
    const std::optional<Span> cut = cut_name(statement, import.span);
    if (!cut) return false;
    const std::string text(c_.source.text(import.span));
    group.edits.push_back({*cut, ""});
    const Span line = c_.source.line_span(c_.source.position(statement.span.start).line);
    const std::string indent(c_.source.text({line.start, statement.span.start}));
    if (indent.find_first_not_of(" \t") != std::string::npos) return false;
    group.edits.push_back({{statement.span.start, statement.span.start}, "from " + module + " import " + text + std::string(c_.source.line_end()) + indent});
    return true;
  }

  bool moves_to(UseId import, const std::string& module) {
    bool any = false;
    for (std::size_t u = 0; u < c_.facts.uses.size(); ++u) {
      if (c_.facts.uses[u].import != import || static_cast<UseId>(u) == import) continue;
      const std::int32_t hit = c_.hit_of_use[u];
      if (hit == kNone || c_.hits[static_cast<std::size_t>(hit)].from == nullptr) return false;
      const std::string symbol = new_symbol(*c_.hits[static_cast<std::size_t>(hit)].from);
      if (symbol.empty() || symbol.substr(0, symbol.rfind('.')) != module || last_part(symbol) != last_part(c_.use(import).symbol)) return false;
      if (c_.source.text(c_.facts.uses[u].callee) != c_.use(import).bound) return false;
      any = true;
    }
    return any;
  }

  void add_uses_of(UseId import, Fix& group) {
    for (std::size_t u = 0; u < c_.facts.uses.size(); ++u) {
      if (c_.facts.uses[u].import != import || static_cast<UseId>(u) == import) continue;
      const Hit& hit = c_.hits[static_cast<std::size_t>(c_.hit_of_use[u])];
      const FixSite site{c_.source, c_.facts, c_.options, c_.facts.uses[u], true};
      if (const auto fix = make_fix({*hit.from}, site)) merge(group, *fix);
    }
  }

  // The name and one comma beside it.
  std::optional<Span> cut_name(const ImportStatement& statement, Span name) {
    const std::string_view text = c_.source.text();
    std::uint32_t end = name.end;
    while (end < statement.span.end && (text[end] == ' ' || text[end] == '\t' || text[end] == '\n' || text[end] == '\r')) ++end;
    if (end < statement.span.end && text[end] == ',') {
      ++end;
      while (end < statement.span.end && (text[end] == ' ' || text[end] == '\t')) ++end;
      const Span line = c_.source.line_span(c_.source.position(name.start).line);
      const bool first = text.substr(line.start, name.start - line.start).find_first_not_of(" \t") == std::string_view::npos;
      if (first && end >= line.end) return c_.source.whole_lines(name);  // nothing else on its line
      return Span{name.start, end};
    }
    std::uint32_t start = name.start;
    while (start > statement.span.start && (text[start - 1] == ' ' || text[start - 1] == '\t' || text[start - 1] == '\n' || text[start - 1] == '\r')) --start;
    if (start > statement.span.start && text[start - 1] == ',') return Span{start - 1, name.end};
    return std::nullopt;
  }

  // All uses are written with their full names, so the import goes.
  std::optional<Fix> dropped(const ImportStatement& statement, std::size_t index, const std::vector<std::int32_t>& hits) {
    Fix group;
    group.applicability = Applicability::Safe;
    for (const std::int32_t h : hits) merge(group, *c_.hits[static_cast<std::size_t>(h)].finding.fix);
    if (statement.names.size() > 1) {
      const std::optional<Span> cut = cut_name(statement, c_.use(statement.names[index]).span);
      if (!cut) return std::nullopt;
      group.edits.push_back({*cut, ""});
    } else {
      const bool torch = !c_.facts.prelude.torch.empty();
      const std::string_view line = c_.source.line_text(c_.source.position(statement.span.start).line);
      const bool brought = std::any_of(group.edits.begin(), group.edits.end(), [&](const Edit& e) {
        return e.span.empty() && e.text.starts_with("import torch" + std::string(c_.source.line_end()));
      });
      if (statement.alone_in_block || line.find(';') != std::string_view::npos) {
        group.edits.push_back({statement.span, torch || brought ? "pass" : "import torch"});
      } else if (torch || brought) {
        group.edits.push_back({c_.source.whole_lines(statement.span), ""});
      } else {
        group.edits.push_back({statement.span, "import torch"});
      }
    }
    return finished(std::move(group));
  }

  static void merge(Fix& group, const Fix& fix) {
    group.applicability = std::max(group.applicability, fix.applicability);
    if (group.message.empty()) group.message = fix.message;
    group.edits.insert(group.edits.end(), fix.edits.begin(), fix.edits.end());
  }

  static std::optional<Fix> finished(Fix group) {
    tidy(group.edits);
    for (std::size_t i = 1; i < group.edits.size(); ++i) {
      if (group.edits[i].span.start < group.edits[i - 1].span.end) return std::nullopt;
    }
    return group;
  }

  Context& c_;
};

}  // namespace

void link_imports(Context& context) { Linker(context).run(); }

}  // namespace torchport
