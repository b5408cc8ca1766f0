#include "analyzers/cpp/collect.h"

#include <algorithm>
#include <unordered_set>

#include "analyzers/cpp/variables.h"

namespace torchport::cpp {
namespace {

class Collector {
 public:
  Collector(const Parts& parts, FileFacts& facts) : p_(parts), t_(parts.tokens), facts_(facts) {
    for (const FunctionPart& function : p_.structure.functions) own_.insert(t_.of(function.name));
    for (TokenId i = 0; i + 1 < t_.all.size(); ++i) {
      if (t_.is(i, "namespace") && t_.is_name(i + 1) && !t_.is(i + 2, "::")) spaces_.insert(t_.of(i + 1));
    }
  }

  void run() {
    includes();
    kernels();
    launches();
    for (TokenId i = 0; i < t_.all.size(); ++i) {
      if (t_.is_name(i)) i = name(i);
    }
    for (const Registration& r : facts_.registrations) registration(r);
    std::stable_sort(facts_.uses.begin(), facts_.uses.end(), [](const Use& a, const Use& b) {
      return a.span.start != b.span.start ? a.span.start < b.span.start : a.kind < b.kind;
    });
    for (std::size_t u = 0; u < facts_.uses.size(); ++u) {
      if (facts_.uses[u].kind == UseKind::NativeKernel) facts_.natives[static_cast<std::size_t>(facts_.uses[u].place_position)].use = static_cast<UseId>(u);
    }
  }

 private:
  Use& add(UseKind kind, std::string_view symbol, Span span) {
    Use use;
    use.kind = kind;
    use.via = Via::Text;
    use.symbol = symbol;
    use.span = use.callee = use.statement = span;
    use.guard = p_.conditions.at(span.start);
    // Functions are in order and none lies within another.
    const auto after = std::upper_bound(facts_.natives.begin(), facts_.natives.end(), span.start, [](std::uint32_t at, const NativeFunction& f) { return at < f.span.start; });
    if (after != facts_.natives.begin() && std::prev(after)->span.contains(span)) use.scope = std::prev(after)->function;
    facts_.uses.push_back(std::move(use));
    return facts_.uses.back();
  }

  void includes() {
    for (const Directive& d : t_.directives) {
      if (!d.word.starts_with("include") || d.first >= d.last) continue;
      const std::string_view written = t_.slice(t_.span_of(d.first, d.last));
      if (written.size() < 3 || (written[0] != '<' && written[0] != '"')) continue;
      const std::size_t close = written.find(written[0] == '<' ? '>' : '"', 1);
      const std::string_view header = written.substr(1, close == std::string_view::npos ? std::string_view::npos : close - 1);
      Use& use = add(UseKind::Include, header, d.span);
      // The line end and a comment behind the header are no part of it.
      use.span.end = t_.all[d.last - 1].span.end;
      use.statement = use.callee = use.span;
      use.bound = written.substr(0, 1);
    }
  }

  void kernels() {
    for (std::size_t n = 0; n < facts_.natives.size(); ++n) {
      const NativeFunction& native = facts_.natives[n];
      if (native.side != Side::Kernel) continue;
      const FunctionPart& part = p_.structure.functions[n];
      const TokenId at = part.global == kNoToken ? part.name : part.global;
      Use& use = add(UseKind::NativeKernel, native.name, t_.all[at].span);
      use.callee = t_.all[part.name].span;
      use.place_position = static_cast<std::int32_t>(n);
    }
  }

  void launches() {
    for (const LaunchPart& launch : launches_of(t_)) {
      const std::string_view symbol = launch.name == kNoToken ? std::string_view("<<<>>>") : t_.of(launch.name);
      const std::uint32_t at = t_.all[launch.at].span.start;
      Span span{t_.all[launch.callee_first].span.start, t_.all[launch.close - 1].span.end};
      // It stands at the line of its brackets.
      if (t_.text.substr(span.start, at - span.start).find('\n') != std::string_view::npos) span.start = at;
      Use& use = add(UseKind::Launch, symbol, span);
      // A launch by a kernel is a call of that name to the compiler.
      for (NativeFunction& native : facts_.natives) {
        if (native.function == use.scope && native.side != Side::Host) native.features |= word_features("cudaLaunchDevice", p_.interest);
      }
      argument(use, "kernel", launch.callee_first, launch.callee_last);
      constexpr std::array<std::string_view, 4> kNames = {"grid", "block", "shared", "stream"};
      const auto items = t_.items(launch.at + 1, launch.close - 3);
      for (std::size_t i = 0; i < items.size() && i < kNames.size(); ++i) argument(use, kNames[i], items[i].first, items[i].second);
    }
  }

  void argument(Use& use, std::string_view keyword, TokenId first, TokenId last) {
    if (first >= last) return;
    Arg arg;
    arg.keyword = keyword;
    arg.position = static_cast<std::uint32_t>(use.args.size());
    arg.span = arg.whole = t_.span_of(first, last);
    use.args.push_back(std::move(arg));
  }

  const LaunchCall* launch_call(std::string_view name) const {
    for (const LaunchCall& call : p_.interest.launches) {
      if (call.name == name) return &call;
    }
    return nullptr;
  }

  // One name and, behind a namespace that is looked for, those after it. Gives the last token that it took.
  TokenId name(TokenId id) {
    if (const std::uint32_t d = t_.all[id].directive; d != kNoToken) {
      // A condition asks about names and an #include holds paths; the name that a #define makes is the project's.
      if (t_.directives[d].word != "define" || t_.directives[d].first == id) return id;
    }
    const WordMeaning& meaning = p_.meanings[t_.all[id].name];
    const bool member = id > 0 && (t_.is(id - 1, ".") || t_.is(id - 1, "->"));
    if (member ? !meaning.member && !meaning.mention : !meaning.mention && !meaning.namespaces) return id;
    if (const LaunchCall* call = launch_call(t_.of(id)); call != nullptr && t_.is(id + 1, "(")) {
      launch(*call, id);
      return id;
    }
    TokenId first = id, last = id;
    while (first >= 2 && t_.is(first - 1, "::") && t_.is_name(first - 2)) first -= 2;
    if (meaning.namespaces && !member) {
      bool own_turn = false;
      while (t_.is(last + 1, "::") && t_.is_name(last + 2)) {
        last += 2;
        own_turn = own_turn || p_.meanings[t_.all[last].name].mention;
      }
      // A name that is looked for by itself is found when its turn comes.
      if (last == id || own_turn || spaces_.contains(t_.of(first))) return id;
    } else if (first == id && !member && own_.contains(t_.of(id))) {
      return id;
    }
    std::string_view symbol = t_.slice(t_.span_of(meaning.namespaces && !member ? first : id, last + 1));
    if (member && meaning.member) symbol = facts_.names.emplace_back("." + std::string(symbol));
    Use& use = add(UseKind::Mention, symbol, t_.span_of(id, last + 1));
    if (first >= 1 && t_.is(first - 1, "::") && (first < 2 || !t_.is_name(first - 2))) --first;
    use.callee = t_.span_of(first, last + 1);
    if (member) use.receiver = t_.all[id - 1].span;
    arguments(use, last + 1);
    if (!member) given_to(use, first, last + 1);
    if (member && t_.in_directive(id)) expansions(use, t_.directives[t_.all[id].directive]);
    return last;
  }

  // Where the file writes the macro in whose body the use stands.
  void expansions(Use& use, const Directive& define) {
    // A file of macros would be walked over and over.
    if (++walks_ > 64) return;
    const NameId macro = t_.all[define.first].name;
    for (TokenId i = 0; i < t_.all.size(); ++i) {
      if (t_.all[i].name == macro && t_.is_name(i) && i != define.first) use.flows.push_back(t_.all[i].span);
    }
  }

  // Of a call, or of the variable that is declared: CUDAGuard guard(device), CUDAGuard guard{device}.
  void arguments(Use& use, TokenId next) {
    if (t_.is_name(next) && (t_.is(next + 1, "(") || t_.is(next + 1, "{"))) use.bound = t_.of(next++);
    if (next >= t_.all.size() || (!t_.is(next, "(") && !t_.is(next, "{")) || t_.all[next].partner == kNoToken) return;
    if (t_.is(next, "{") && use.bound.empty()) return;
    for (const auto& [first, last] : t_.items(next + 1, t_.all[next].partner)) argument(use, {}, first, last);
    use.statement = {use.callee.start, t_.all[t_.all[next].partner].span.end};
  }

  void given_to(Use& use, TokenId first, TokenId last) {
    if (t_.is(last, "(") && t_.all[last].partner != kNoToken) last = t_.all[last].partner + 1;
    const auto place = argument_place(t_, first, last);
    if (!place) return;
    use.place = Place::Argument;
    use.place_callee = t_.of(place->callee);
    use.place_position = place->position;
  }

  void launch(const LaunchCall& call, TokenId id) {
    const TokenId open = id + 1;
    const auto items = t_.all[open].partner == kNoToken ? std::vector<std::pair<TokenId, TokenId>>{} : t_.items(open + 1, t_.all[open].partner);
    std::string_view symbol = t_.of(id);
    const auto item = [&](std::int32_t at) { return at >= 0 && at < static_cast<std::int32_t>(items.size()) ? items[static_cast<std::size_t>(at)] : std::pair<TokenId, TokenId>{0, 0}; };
    const auto [first, last] = item(call.kernel);
    // (void*)kernel<T>, HIP_KERNEL_NAME(kernel<T>): the last name before the template arguments.
    for (TokenId i = first; i < last && !(t_.is(i, "<") && i > first); ++i) {
      if (t_.is_name(i) && t_.of(i) != "void") symbol = t_.of(i);
    }
    Use& use = add(UseKind::Launch, symbol, t_.all[id].span);
    use.place_callee = t_.of(id);
    const std::pair<std::string_view, std::int32_t> fields[] = {{"kernel", call.kernel}, {"grid", call.grid}, {"block", call.block}, {"shared", call.shared}, {"stream", call.stream}};
    for (const auto& [keyword, at] : fields) argument(use, keyword, item(at).first, item(at).second);
  }

  void registration(const Registration& r) {
    Use& use = add(UseKind::Registration, r.name, r.span);
    use.place_name = r.key;
    use.place_callee = r.space;
    use.place_position = static_cast<std::int32_t>(&r - facts_.registrations.data());
    use.bound = r.function;
  }

  const Parts& p_;
  const Tokens& t_;
  FileFacts& facts_;
  std::unordered_set<std::string_view> own_;  // functions of the file: a name among them is no library's
  int walks_ = 0;
  std::unordered_set<std::string_view> spaces_;  // namespaces that it opens
};

}  // namespace

void collect(const Parts& parts, FileFacts& facts) { Collector(parts, facts).run(); }

}  // namespace torchport::cpp
