#include "rules/checks/native_objects.h"

#include <algorithm>
#include <set>

#include "analyzers/text.h"
#include "rules/checks/native_rows.h"
#include "rules/checks/native_text.h"

namespace torchport {
namespace {

struct Object {
  const NativeVariable* variable = nullptr;
  const NativeType* type = nullptr;  // null: declared as auto
  std::string_view kind;
  bool in = true;                    // what is done with it can be rewritten, as far as is known
  int made = 0;
  std::string flag;
};

// "const at::cuda::CUDAStream" without its qualifier; nothing of pointers, references, templates and what outlives the function.
std::string_view plain_type(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  return std::all_of(type.begin(), type.end(), [](char c) { return is_word(c) || c == ':'; }) ? type : std::string_view{};
}

class Plan {
 public:
  Plan(const Context& context, const NativeFunction& function) : c_(context), function_(function) {
    for (const Use& use : c_.facts.uses) {
      if (use.scope == function_.function && use.kind == UseKind::Mention) mentions_.push_back(&use);
    }
  }

  std::optional<Fix> run() {
    if (!whole()) return std::nullopt;
    gather();
    while (!round()) {
    }
    if (edits_.empty() || since_ > newest_allowed() || !add_includes(c_.source, c_.facts, {headers_.begin(), headers_.end()}, edits_)) return std::nullopt;
    return Context::fix(Applicability::Review, "does the same for any accelerator but XLA", std::move(edits_));
  }

 private:
  std::uint32_t newest_allowed() const { return c_.options.min_torch == 0 ? ~0U : c_.options.min_torch; }
  std::string_view text(Span span) const { return c_.source.text(span); }

  // No condition decides over parts of it, and nothing copies what it holds. What is longer than people write is left: the fix holds all of its edits.
  bool whole() const {
    if (mentions_.size() > 300) return false;
    if (std::any_of(mentions_.begin(), mentions_.end(), [](const Use* use) { return use->guard != kNone; })) return false;
    std::string_view rest = text(function_.span);
    if (rest.find("[=") != std::string_view::npos) return false;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      rest.remove_prefix(end + 1);
      if (trimmed(rest.substr(0, rest.find('\n'))).starts_with('#')) return false;
    }
    return true;
  }

  void gather() {
    for (const NativeVariable& variable : c_.facts.variables) {
      if (variable.function != function_.function || variable.parameter) continue;
      const std::string_view type = plain_type(text(variable.type));
      const std::string_view last = type.substr(type.rfind(':') == std::string_view::npos ? 0 : type.rfind(':') + 1);
      if (last == "auto" && expression(variable.initial)) objects_.push_back({&variable, nullptr, "stream", !variable.twice, 0, {}});
      for (const NativeType& known : c_.catalogue.native_types) {
        if (known.name == last) objects_.push_back({&variable, &known, known.kind, !variable.twice, 0, {}});
      }
    }
  }

  // Collects the edits of the objects that are in; false where one had to go, and all begins anew.
  bool round() {
    edits_.clear();
    claimed_.clear();
    headers_.clear();
    since_ = 0;
    for (Object& object : objects_) {
      object.made = 0;
      object.flag = object.type == nullptr ? "" : object.type->flag;
    }
    calls();
    bool all = true;
    for (Object& object : objects_) {
      if (!object.in) continue;
      members(object);
      object.in = declare(object);
      all = all && object.in;
    }
    for (Object& object : objects_) {
      if (!object.in) continue;
      object.in = settled(object);
      all = all && object.in;
    }
    return all;
  }

  bool settled(const Object& object) const {
    const auto done = [&](const NativeSite& site) { return claimed_.contains(site.span.start); };
    const auto beside = [&](const Object& other) { return other.in || other.variable->type.start != object.variable->type.start; };
    return std::all_of(object.variable->sites.begin(), object.variable->sites.end(), done) && std::all_of(objects_.begin(), objects_.end(), beside);
  }

  void calls() {
    for (const Use* use : mentions_) {
      for (const NativeRewrite& row : c_.catalogue.native_rewrites) {
        if (row.call != use->symbol || !row.of.empty() || !is_about_objects(row)) continue;
        if (row.gives.empty() ? call(*use, row) : given_away(*use, row)) break;
      }
    }
  }

  bool call(const Use& use, const NativeRewrite& row) {
    const auto span = replaced(c_, use, row);
    if (!span) return false;
    auto text = fill(row, argument_spans(use));
    if (!text) return false;
    if (text->empty()) {
      edits_.push_back({whole_statement(c_.source, *span), {}});
    } else {
      edits_.push_back({*span, std::move(*text)});
    }
    return true;
  }

  // A stream made where one of any device is taken: x.record_stream(getCurrentCUDAStream()).
  bool given_away(const Use& use, const NativeRewrite& row) {
    if (!takes(use.place_callee)) return false;
    auto text = fill(row, argument_spans(use));
    if (text) edits_.push_back({use.statement, std::move(*text)});
    return text.has_value();
  }

  bool takes(std::string_view callee) const {
    const auto& rows = c_.catalogue.native_rewrites;
    return std::any_of(rows.begin(), rows.end(), [&](const NativeRewrite& row) { return row.of == "taker" && row.call == callee; });
  }

  void members(const Object& object) {
    for (const NativeSite& site : object.variable->sites) {
      if (claimed_.contains(site.span.start)) continue;
      if (site.member.empty() && object.kind == "stream" && takes(site.callee)) claimed_.insert(site.span.start);
      if (!site.called) continue;
      for (const NativeRewrite& row : c_.catalogue.native_rewrites) {
        if (row.of != object.kind || row.call != site.member) continue;
        auto written = fill(row, site.args);
        if (!written) continue;
        claimed_.insert(site.span.start);
        const std::string_view old = text(site.whole);
        const auto at = static_cast<std::uint32_t>(site.whole.start + old.find(site.member, object.variable->name.size()));
        if (*written != text({at, site.whole.end})) edits_.push_back({{at, site.whole.end}, std::move(*written)});
        break;
      }
    }
  }

  bool declare(const Object& object) {
    const NativeVariable& v = *object.variable;
    if (object.kind == "event" ? !declare_event(object) : !declare_given(object)) return false;
    if (object.type == nullptr) return true;
    const std::string_view type = plain_type(text(v.type));
    edits_.push_back({{v.type.end - static_cast<std::uint32_t>(type.size()), v.type.end}, object.type->to});
    need(object.type->headers, kAcceleratorSince);
    return true;
  }

  bool declare_event(const Object& object) {
    const NativeVariable& v = *object.variable;
    if (object.type->made != (object.made == 1)) return false;
    std::string flag = object.flag;
    const std::string_view given = text(v.initial);
    if (!given.empty() && (v.form == '(' || v.form == '{')) {
      flag = flag_of(given);
      if (flag.empty() || object.type->made) return false;
    } else if (!given.empty() && given != "nullptr" && given != "NULL" && given != "0") {
      return false;
    }
    if (v.form == '[' || (v.form == '=' && !object.type->made)) return false;
    const std::string made = "(" + std::string(kAccelerator) + (flag.empty() ? "" : ", c10::EventFlag::" + flag) + ")";
    edits_.push_back({{v.declarator.start + static_cast<std::uint32_t>(v.name.size()), v.declarator.end}, made});
    return true;
  }

  // A stream or a guard is what it is given.
  bool declare_given(const Object& object) {
    const NativeVariable& v = *object.variable;
    if (v.form == 0) return object.kind == "guard" && object.type->to.find("Optional") != std::string::npos;
    if (v.form == '[' || v.initial.empty()) return false;
    auto given = stream(v.initial);
    if (!given) return false;
    if (*given != text(v.initial)) edits_.push_back({v.initial, std::move(*given)});
    return true;
  }

  std::string flag_of(std::string_view flag) const {
    for (const auto& [name, to] : c_.catalogue.native_flags) {
      if (name == flag) return to;
    }
    return {};
  }

  void need(const std::vector<std::string>& headers, std::uint32_t since) {
    headers_.insert(headers.begin(), headers.end());
    since_ = std::max(since_, since);
  }

  // A row's text, with its headers; what it claims counts only if all of it fits.
  std::optional<std::string> fill(const NativeRewrite& row, const std::vector<Span>& args) {
    const auto claimed = claimed_;
    const auto headers = headers_;
    const std::uint32_t since = since_;
    auto text = filled(c_.source, row, args, [&](std::string_view kind, std::optional<Span> argument) { return object_text(kind, argument); });
    if (text) {
      need(row.headers, row.since);
    } else {
      claimed_ = claimed;
      headers_ = headers;
      since_ = since;
    }
    return text;
  }

  std::optional<std::string> object_text(std::string_view kind, std::optional<Span> argument) {
    if (kind == "stream") return argument ? stream(*argument) : current();
    if (kind == "flag") {
      const std::string flag = flag_of(text(*argument));
      if (flag.empty() || made_ == nullptr) return std::nullopt;
      made_->flag = flag;
      return std::string();
    }
    Span name = *argument;
    if (kind == "new") {
      if (!text(name).starts_with('&')) return std::nullopt;
      ++name.start;
    }
    Object* event = object_at(name, "event");
    if (event == nullptr || ((kind == "new" || kind == "end") && !event->type->made)) return std::nullopt;
    claimed_.insert(name.start);
    if (kind == "event") return std::string(event->variable->name);
    if (kind == "new") {
      ++event->made;
      made_ = event;
    }
    return std::string();
  }

  Object* object_at(Span name, std::string_view kind) {
    for (Object& object : objects_) {
      if (!object.in || object.kind != kind) continue;
      for (const NativeSite& site : object.variable->sites) {
        if (site.span == name && site.member.empty()) return &object;
      }
    }
    return nullptr;
  }

  std::optional<std::string> current() {
    need({std::string(kAcceleratorHeader)}, kAcceleratorSince);
    return "at::accelerator::getCurrentStream(at::accelerator::getDeviceIndex())";
  }

  // What gives a stream of any device where `span` gives one of CUDA.
  std::optional<std::string> stream(Span span) {
    const std::string_view given = text(span);
    if (given == "0" || given == "nullptr" || given == "NULL") return current();
    for (const Object& object : objects_) {
      if (!object.in || object.kind != "stream") continue;
      for (const NativeSite& site : object.variable->sites) {
        const bool itself = site.member.empty() || (site.called && site.args.empty() && (site.member == "stream" || site.member == "unwrap"));
        if (site.whole != span || !itself) continue;
        claimed_.insert(site.span.start);
        return std::string(object.variable->name);
      }
    }
    return expression(span);
  }

  // getCurrentCUDAStream(), also with .stream() behind it.
  std::optional<std::string> expression(Span span) {
    for (const Use* use : mentions_) {
      if (use->callee.start != span.start || use->statement.end > span.end) continue;
      const std::string_view behind = text({use->statement.end, span.end});
      if (!behind.empty() && behind != ".stream()" && behind != ".unwrap()") continue;
      for (const NativeRewrite& row : c_.catalogue.native_rewrites) {
        if (row.call != use->symbol || row.gives != "stream") continue;
        if (auto made = fill(row, argument_spans(*use))) return made;
      }
    }
    return std::nullopt;
  }

  const Context& c_;
  const NativeFunction& function_;
  std::vector<const Use*> mentions_;
  std::vector<Object> objects_;
  std::vector<Edit> edits_;
  std::set<std::uint32_t> claimed_;  // where the sites that a row takes begin
  std::set<std::string> headers_;
  std::uint32_t since_ = 0;
  Object* made_ = nullptr;
};

bool concerns(const Catalogue& catalogue, const Use& use) {
  if (use.kind != UseKind::Mention) return false;
  const bool type = std::any_of(catalogue.native_types.begin(), catalogue.native_types.end(), [&](const NativeType& t) { return t.name == use.symbol; });
  return type || std::any_of(catalogue.native_rewrites.begin(), catalogue.native_rewrites.end(), [&](const NativeRewrite& row) { return row.of.empty() && row.call == use.symbol && is_about_objects(row); });
}

}  // namespace

std::vector<Fix> object_fixes(const Context& context) {
  std::set<std::int32_t> functions;
  for (const Use& use : context.facts.uses) {
    if (use.scope != 0 && concerns(context.catalogue, use)) functions.insert(use.scope);
  }
  std::vector<Fix> fixes;
  for (const NativeFunction& native : context.facts.natives) {
    if (native.side != Side::Host || !native.defined || native.in_macro || !functions.contains(native.function)) continue;
    if (auto fix = Plan(context, native).run()) fixes.push_back(std::move(*fix));
  }
  return fixes;
}

}  // namespace torchport
