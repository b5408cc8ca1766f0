#include "rules/fix.h"

#include <algorithm>
#include <array>

#include "rules/match.h"
#include "rules/render.h"

namespace torchport {
namespace {

bool calls_a_name(const FixTemplate& fix) {
  const std::vector<std::string> names = torch_names_in(fix.text);
  return !names.empty() && fix.text.rfind(names[0] + "(", 0) == 0;
}

// isinstance(scaler, torch.cuda.amp.GradScaler): the class, and not what makes one.
bool in_isinstance(const FixSite& site) {
  const std::string_view before = site.source.text({site.use.statement.start, std::max(site.use.statement.start, site.use.span.start)});
  const std::size_t at = before.rfind("isinstance(");
  return at != std::string_view::npos && before.find(')', at) == std::string_view::npos;
}

// torch.cuda.get_device_name handed on: no value can stand for it.
bool is_function_handed_on(const FixSite& site, const FixTemplate& fix) {
  const bool name = fix.text.find("torch.") != std::string::npos && fix.text.find('(') == std::string::npos;
  return site.use.symbol.starts_with("torch.cuda.") && site.use.via != Via::Type && !site.use.form.fixed && !name;
}

// A function that is mentioned and not called: its counterpart's name, where calls of both are written alike.
std::optional<Fix> name_fix(const FixTemplate& fix, const FixSite& site) {
  if (!calls_a_name(fix) || (site.options.min_torch != 0 && fix.since > site.options.min_torch)) return std::nullopt;
  const std::string name = torch_names_in(fix.text)[0];
  const std::string rest = fix.text.substr(name.size());
  // partial(torch.cuda.amp.autocast, dtype=…): the device type becomes the first argument that is given.
  const std::string_view before = site.source.text().substr(0, site.use.span.start);
  if (before.ends_with("partial(") && rest.starts_with("({device.type}")) {
    FixTemplate bound = fix;
    bound.text = name + ", {device.type}";
    bound.safety = Applicability::Review;
    return render(bound, site);
  }
  // In an annotation only the name matters; elsewhere calls of both must be written alike.
  if (!site.use.form.fixed && !in_isinstance(site) && rest != "()" && rest != "({args})" && rest != "({0/device?})") return std::nullopt;
  FixTemplate bare = fix;
  bare.text = name;
  bare.guarded = false;
  bare.safety = Applicability::Review;
  return render(bare, site);
}

bool statement_can_be_wrapped(const FixSite& site) { return site.use.form.statement && site.use.form.own_lines; }

}  // namespace

const Arg* find_argument(const Use& use, std::int32_t position, std::string_view keyword) {
  for (const Arg& arg : use.args) {
    if (arg.splat) return nullptr;
    if (arg.keyword.empty() ? position >= 0 && static_cast<std::int32_t>(arg.position) == position : !keyword.empty() && arg.keyword == keyword) return &arg;
  }
  return nullptr;
}

bool accelerator_guarded(const FileFacts& facts, const Use& use) {
  for (GuardId g = use.guard; g != kNone; g = facts.guards[static_cast<std::size_t>(g)].outer) {
    const Guard& guard = facts.guards[static_cast<std::size_t>(g)];
    if (guard.kind != GuardKind::Available && guard.kind != GuardKind::DeviceType) continue;
    if (guard.holds && (guard.device == "cuda" || guard.device == "accelerator")) return true;
  }
  return false;
}

std::optional<Fix> guarded_fix(const FixSite& site, std::vector<Edit> edits, const std::string& otherwise) {
  Fix fix;
  std::vector<Edit> import;
  const std::string torch = torch_name(site.source, site.facts, site.use.span, import);
  const std::string condition = torch + ".accelerator.is_available()";
  if (statement_can_be_wrapped(site)) {
    const Span statement = site.use.statement;
    const std::string_view line = site.source.text({site.source.line_span(site.source.position(statement.start).line).start, statement.start});
    const std::string indent(line);
    const std::string deeper = indent + (indent.find('\t') != std::string::npos ? "\t" : "    ");
    const std::string head = "if " + condition + ":" + std::string(site.source.line_end()) + deeper;
    if (!edits.empty() && edits.front().span.start == statement.start) {
      edits.front().text = head + edits.front().text;
    } else {
      edits.insert(edits.begin(), {{statement.start, statement.start}, head});
    }
  } else {
    if (otherwise == "statement" && !site.use.form.statement) return std::nullopt;
    const bool brackets = site.use.form.operand;
    const std::string value = otherwise.empty() || otherwise == "statement" ? "None" : otherwise;
    const Span span = site.use.span;
    const std::string open = brackets ? "(" : "";
    const std::string close = " if " + condition + " else " + value + (brackets ? ")" : "");
    if (!edits.empty() && edits.front().span.start == span.start) {
      edits.front().text = open + edits.front().text;
    } else if (brackets) {
      edits.insert(edits.begin(), {{span.start, span.start}, open});
    }
    if (!edits.empty() && edits.back().span.end == span.end) {
      edits.back().text += close;
    } else {
      edits.push_back({{span.end, span.end}, close});
    }
  }
  edits.insert(edits.end(), import.begin(), import.end());
  fix.edits = std::move(edits);
  return fix;
}

std::optional<Fix> make_fix(const std::vector<FixTemplate>& templates, const FixSite& site, const FixTemplate** taken) {
  if (site.use.form.ambiguous) return std::nullopt;
  for (const FixTemplate& fix : templates) {
    const bool meant = std::all_of(fix.when.begin(), fix.when.end(), [&](const ArgMatch& a) { return argument_matches(a, site.use); });
    if (!meant) continue;
    if (site.use.kind == UseKind::Reference && !site.use.form.decorator) {
      if (std::optional<Fix> named = name_fix(fix, site)) {
        if (taken != nullptr) *taken = &fix;
        return named;
      }
      if (calls_a_name(fix) || is_function_handed_on(site, fix)) continue;
    }
    if (site.options.min_torch != 0 && fix.since > site.options.min_torch) continue;
    std::optional<Fix> made = render(fix, site);
    if (!made) continue;
    if (taken != nullptr) *taken = &fix;
    return made;
  }
  return std::nullopt;
}

std::string_view legacy_dtype(std::string_view type) {
  struct Row {
    std::string_view type, dtype;
  };
  // The legacy types and their dtypes, unchanged since torch 0.4.
  constexpr std::array kRows = std::to_array<Row>({{"FloatTensor", "torch.float32"}, {"DoubleTensor", "torch.float64"}, {"HalfTensor", "torch.float16"},
                                                   {"BFloat16Tensor", "torch.bfloat16"}, {"ByteTensor", "torch.uint8"}, {"CharTensor", "torch.int8"},
                                                   {"ShortTensor", "torch.int16"}, {"IntTensor", "torch.int32"}, {"LongTensor", "torch.int64"},
                                                   {"BoolTensor", "torch.bool"}});
  if (type.substr(0, 11) != "torch.cuda.") return {};
  const std::string_view last = type.substr(type.rfind('.') + 1);
  for (const Row& row : kRows) {
    if (row.type == last) return row.dtype;
  }
  return {};
}

}  // namespace torchport
