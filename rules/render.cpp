// Fills a template in: what is kept of the old text stays untouched, and so does the layout of a call.
#include "rules/render.h"

#include <algorithm>

#include "analyzers/text.h"

namespace torchport {
namespace {

// One part of the new text: new letters, or a stretch of the old text that stays.
struct Part {
  std::string text;
  Span kept;
  bool keep = false;
};

class Renderer {
 public:
  explicit Renderer(const FixSite& site) : site_(site), target_(site.use.span) {}

  std::optional<Fix> render(const FixTemplate& fix) {
    if (fix.text == kDeleteStatement) return delete_statement(fix);
    if (!fix.argument.empty()) {
      const Piece::Which which = parse_which(fix.argument);
      const Arg* arg = find_argument(site_.use, which.position, which.keyword);
      if (arg == nullptr) return std::nullopt;
      target_ = arg->span;
    }
    // torch.cuda.OutOfMemoryError("…"): a name takes the place of the name.
    if (fix.argument.empty() && site_.use.kind == UseKind::Call && fix.text.starts_with("torch.") && fix.text.find_first_of("({ ") == std::string::npos) target_ = site_.use.callee;
    const bool flipped = flips(fix);
    std::vector<Piece> pieces = parse_template(flipped ? fix.text.substr(0, fix.text.size() - kNotCpu.size()) + std::string(kCpu) : fix.text);
    settle_constants(pieces, [&](const Piece::Which& which) {
      const Arg* arg = find_argument(site_.use, which.position, which.keyword);
      return arg == nullptr ? std::string_view() : site_.source.text(arg->span);
    });
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool brackets = beside_operator(pieces, i) && compound(pieces[i]);
      if (brackets) text("(");
      if (!add(pieces[i])) return std::nullopt;
      if (brackets) text(")");
    }
    if (site_.keep_name && !keep_callee()) return std::nullopt;
    Fix out;
    out.applicability = safe_ ? fix.safety : std::max(fix.safety, Applicability::Review);
    out.message = fix.message;
    const bool comparison = fix.text.find("!= ") != std::string::npos || fix.text.find("== ") != std::string::npos || fix.text.find(" in ") != std::string::npos;
    if (flipped) {
      extra_.push_back({{not_before(), site_.use.span.start}, ""});
    } else if (comparison && fix.argument.empty() && site_.use.form.tight) {
      parts_.insert(parts_.begin(), {"(", {}, false});
      parts_.push_back({")", {}, false});
    }
    std::vector<Edit> edits = edits_of_parts();
    if (site_.use.form.in_string && has_quote(edits)) return std::nullopt;
    if (fix.guarded && !accelerator_guarded(site_.facts, site_.use)) {
      std::optional<Fix> wrapped = guarded_fix(site_, std::move(edits), fix.otherwise);
      if (!wrapped) return std::nullopt;
      out.edits = std::move(wrapped->edits);
    } else {
      out.edits = std::move(edits);
    }
    out.edits.insert(out.edits.end(), extra_.begin(), extra_.end());
    tidy(out.edits);
    return out;
  }

 private:
  std::optional<Fix> delete_statement(const FixTemplate& fix) {
    if (!site_.use.form.statement || !site_.use.form.own_lines) return std::nullopt;
    Fix out;
    out.applicability = fix.safety;
    out.message = fix.message;
    out.edits.push_back({site_.use.statement, "pass"});
    return out;
  }

  static constexpr std::string_view kCpu = " == \"cpu\"";

  // Where the `not` before the use begins.
  std::uint32_t not_before() const {
    const std::string_view before = site_.source.text().substr(0, site_.use.span.start);
    const std::string_view code = before.substr(0, before.find_last_not_of(" \t") + 1);
    return code.ends_with("not") ? static_cast<std::uint32_t>(code.size() - 3) : site_.use.span.start;
  }

  // not x.is_cuda becomes x.device.type == "cpu".
  bool flips(const FixTemplate& fix) const {
    return site_.use.form.negated && fix.argument.empty() && fix.text.ends_with(kNotCpu) && not_before() != site_.use.span.start;
  }

  // `{5/enabled} and …`, `{0}.transpose(…)`: what is put there must hold together.
  static bool beside_operator(const std::vector<Piece>& pieces, std::size_t i) {
    const std::string after = i + 1 < pieces.size() ? pieces[i + 1].text : std::string();
    const std::string before = i > 0 ? pieces[i - 1].text : std::string();
    for (const std::string_view op : {" and ", " or ", " if ", " == ", " != ", ".", "["}) {
      if (after.starts_with(op)) return true;
    }
    for (const std::string_view op : {" and ", " or ", " == ", " != ", "not "}) {
      if (before.ends_with(op)) return true;
    }
    return false;
  }

  // Whether the argument is anything but a name, a constant, an attribute or something in brackets.
  bool compound(const Piece& piece) const {
    if (piece.kind != Piece::Kind::Argument && piece.kind != Piece::Kind::Receiver) return false;
    const Arg* arg = piece.kind == Piece::Kind::Argument ? find_argument(site_.use, piece.which[0].position, piece.which[0].keyword) : nullptr;
    if (arg == nullptr) return false;
    int depth = 0;
    for (const char c : site_.source.text(arg->span)) {
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (depth == 0 && (c == ' ' || c == '\n' || c == '+' || c == '-' || c == '*' || c == '/' || c == '=' || c == '<' || c == '>')) return true;
    }
    return false;
  }

  bool add(const Piece& piece) {
    switch (piece.kind) {
      case Piece::Kind::Text: text(with_torch(piece.text)); return true;
      case Piece::Kind::Args: return arguments({});
      case Piece::Kind::Keywords: {
        const std::string_view first = site_.use.args.empty() ? std::string_view() : site_.source.text(site_.use.args[0].whole);
        const bool keywords = site_.use.args.empty() || !site_.use.args[0].keyword.empty() || first.substr(0, 2) == "**";
        return keywords && arguments({});
      }
      case Piece::Kind::Rest: return arguments(piece.which);
      case Piece::Kind::Argument: {
        const Arg* arg = find_argument(site_.use, piece.which[0].position, piece.which[0].keyword);
        if (arg != nullptr) {
          keep(arg->span);
        } else if (piece.has_default) {
          text(with_torch(piece.text));
        }
        return arg != nullptr || piece.has_default;
      }
      case Piece::Kind::Receiver:
        if (site_.use.receiver.empty()) return false;
        keep(site_.use.receiver);
        return true;
      case Piece::Kind::Callee: keep(site_.use.callee); return true;
      case Piece::Kind::Symbol: text(std::string(site_.use.symbol)); return true;
      case Piece::Kind::Last: text(std::string(site_.use.symbol.substr(site_.use.symbol.rfind('.') + 1))); return true;
      case Piece::Kind::Dtype: return dtype();
      case Piece::Kind::Device:
      case Piece::Kind::DeviceType: return device(piece.kind == Piece::Kind::DeviceType);
    }
    return false;
  }

  bool dtype() {
    std::string_view found = legacy_dtype(site_.use.symbol);
    for (const Arg& arg : site_.use.args) {
      for (const Value& v : arg.values) {
        if (found.empty()) found = legacy_dtype(v.text);
      }
    }
    if (found.empty()) return false;
    text(with_torch(std::string(found)));
    return true;
  }

  bool device(bool type) {
    const auto expression = device_at(site_.source, site_.facts, site_.use.span, site_.options);
    if (!expression) return false;
    text(type ? expression->type : expression->text);
    extra_.insert(extra_.end(), expression->edits.begin(), expression->edits.end());
    safe_ = safe_ && expression->safe;
    return true;
  }

  // "torch." as this file writes it.
  std::string with_torch(const std::string& code) {
    if (torch_names_in(code).empty()) return code;
    std::vector<Edit> import;
    const std::string name = torch_name(site_.source, site_.facts, site_.use.span, import);
    if (!site_.keep_name) extra_.insert(extra_.end(), import.begin(), import.end());
    if (name == "torch") return code;
    std::string out;
    for (std::size_t i = 0; i < code.size();) {
      const bool word = i > 0 && (is_word(code[i - 1]) || code[i - 1] == '.');
      if (!word && code.compare(i, 6, "torch.") == 0) {
        out += name;
        i += 5;
      } else {
        out += code[i++];
      }
    }
    return out;
  }

  struct Written {
    std::uint32_t positional = 0;
    bool keyword = false;
  };

  // What the call that is being written has got so far.
  Written written_arguments() const {
    std::string whole;
    for (const Part& part : parts_) whole += part.keep ? std::string(site_.source.text(part.kept)) : part.text;
    Written out;
    const std::size_t open = whole.find('(');
    int depth = 0;
    bool any = false;
    for (std::size_t i = open; i < whole.size(); ++i) {
      const char c = whole[i];
      if (c == ')' || c == ']' || c == '}') --depth;
      const bool top = depth == 1;
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (top && c == ',') {
        if (any && !out.keyword) ++out.positional;
        any = false;
      } else if (depth > 0 && i > open && c != ' ' && c != '\n' && c != '\t') {
        any = true;
      }
      const bool assigns = c == '=' && top && i + 1 < whole.size() && whole[i + 1] != '=' && std::string_view("=!<>:").find(whole[i - 1]) == std::string_view::npos;
      out.keyword = out.keyword || assigns;
    }
    if (any && !out.keyword) ++out.positional;
    return out;
  }

  static bool left_out(const Arg& arg, const std::vector<Piece::Which>& which) {
    return std::any_of(which.begin(), which.end(), [&](const Piece::Which& w) {
      return arg.keyword.empty() ? w.position == static_cast<std::int32_t>(arg.position) : !w.keyword.empty() && w.keyword == arg.keyword;
    });
  }

  // The arguments that stay, with a comma before them where something precedes.
  bool arguments(const std::vector<Piece::Which>& without) {
    const auto& args = site_.use.args;
    const bool splat = std::any_of(args.begin(), args.end(), [](const Arg& a) { return a.splat; });
    if (splat && !without.empty()) return false;
    bool preceded = !ends_open();
    Written written = written_arguments();
    bool one_left_out = false;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (left_out(args[i], without)) {
        one_left_out = one_left_out || args[i].keyword.empty();
        continue;
      }
      std::size_t last = i;
      while (last + 1 < args.size() && !left_out(args[last + 1], without)) ++last;
      // By position: not behind a keyword, and not in another's place.
      for (std::size_t k = i; k <= last; ++k) {
        if (!args[k].keyword.empty() || args[k].splat) continue;
        if (written.keyword || (one_left_out && written.positional != args[k].position)) return false;
        ++written.positional;
      }
      if (preceded) text(", ");
      keep({args[i].whole.start, args[last].whole.end});
      preceded = true;
      i = last;
    }
    return true;
  }

  // Whether the text so far ends where a first argument may stand.
  bool ends_open() const {
    if (parts_.empty() || parts_.back().keep) return false;
    const std::string& t = parts_.back().text;
    return !t.empty() && (t.back() == '(' || t.back() == '[' || (t.size() > 1 && t[t.size() - 1] == ' ' && t[t.size() - 2] == ','));
  }

  void text(std::string t) {
    if (!parts_.empty() && !parts_.back().keep) {
      parts_.back().text += t;
    } else {
      parts_.push_back({std::move(t), {}, false});
    }
  }
  void keep(Span span) { parts_.push_back({{}, span, true}); }

  // The first part is "torch.some.name(…": the name stays as imported.
  bool keep_callee() {
    if (parts_.empty() || parts_[0].keep) return false;
    const std::size_t paren = parts_[0].text.find('(');
    const std::string head = parts_[0].text.substr(0, paren);
    if (paren == std::string::npos && site_.use.kind == UseKind::Call) return false;
    if (head.rfind('.') == std::string::npos) return false;
    parts_[0].text = std::string(site_.source.text(site_.use.callee)) + (paren == std::string::npos ? "" : parts_[0].text.substr(paren));
    return true;
  }

  // Kept stretches that come in their old order stay untouched, so that fixes inside them can be made in the same round.
  std::vector<Edit> edits_of_parts() const {
    std::uint32_t at = target_.start;
    bool ordered = true;
    for (const Part& part : parts_) {
      if (!part.keep) continue;
      ordered = ordered && part.kept.start >= at;
      at = part.kept.end;
    }
    std::vector<Edit> edits;
    if (!ordered) {
      std::string whole;
      for (const Part& part : parts_) whole += part.keep ? std::string(site_.source.text(part.kept)) : part.text;
      edits.push_back({target_, whole});
      return edits;
    }
    at = target_.start;
    std::string pending;
    const auto flush = [&](std::uint32_t upto) {
      upto = keep_layout(at, upto, pending, edits);
      if (site_.source.text({at, upto}) != pending) edits.push_back({{at, upto}, pending});
      pending.clear();
    };
    for (const Part& part : parts_) {
      if (!part.keep) {
        pending += part.text;
        continue;
      }
      flush(part.kept.start);
      at = part.kept.end;
    }
    flush(target_.end);
    return edits;
  }

  // A line break behind the opening bracket, or a comma and a break before the closing one, stays as it is. Narrows the stretch from `at` to
  // what it returns, and `pending` to what goes there.
  std::uint32_t keep_layout(std::uint32_t at, std::uint32_t upto, std::string& pending, std::vector<Edit>& edits) const {
    const std::string_view old = site_.source.text({at, upto});
    if (pending.empty() || old.empty()) return upto;
    if (const std::size_t open = comment_in_empty_call(at, old); open != std::string_view::npos && pending.ends_with("()")) {
      pending.resize(pending.size() - 2);
      return at + static_cast<std::uint32_t>(open);
    }
    const auto blank = [](std::string_view s) { return s.find_first_not_of(" \t\r\n") == std::string_view::npos; };
    const std::size_t open = old.rfind('(');
    if (pending.back() == '(' && open != std::string_view::npos && open + 1 < old.size() && blank(old.substr(open + 1))) {
      return at + static_cast<std::uint32_t>(open + 1);
    }
    const bool breaks = open != std::string_view::npos && old.find('\n', open) != std::string_view::npos && blank(old.substr(open + 1));
    if (const std::size_t first = pending.find('('); breaks && first != std::string::npos && pending.ends_with(", ")) {
      // f(\n    a becomes g(\n    new,\n    a
      const std::string gap(old.substr(open + 1));
      pending = pending.substr(0, first + 1) + gap + pending.substr(first + 1, pending.size() - first - 3) + "," + gap;
      return upto;
    }
    const std::size_t comma = old.find(',');
    const std::string_view before_close = old.substr(0, old.size() - 1);
    const bool layout = comma < before_close.size() ? blank(before_close.substr(0, comma)) && blank(before_close.substr(comma + 1)) : blank(before_close);
    if (pending.back() == ')' && old.back() == ')' && old.size() > 1 && layout) {
      pending.pop_back();
      if (pending.starts_with(", ") && argument_a_line()) pending = "," + std::string(site_.source.line_end()) + indent_at(at) + pending.substr(2);
      if (!pending.empty()) edits.push_back({{at, at}, pending});
      pending = old;
    }
    return upto;
  }

  // Whether the first argument begins a line of its own.
  bool argument_a_line() const {
    const auto& args = site_.use.args;
    if (args.empty() || args[0].whole.start < site_.use.callee.end) return false;
    return site_.source.text({site_.use.callee.end, args[0].whole.start}).find('\n') != std::string_view::npos;
  }

  std::string indent_at(std::uint32_t at) const {
    const std::string_view line = site_.source.line_text(site_.source.position(at).line);
    return std::string(line.substr(0, std::min(line.find_first_not_of(" \t"), line.size())));
  }

  // f(  # why
  // ): where its opening bracket is in `old`, which starts at `at`.
  std::size_t comment_in_empty_call(std::uint32_t at, std::string_view old) const {
    const std::uint32_t callee = site_.use.callee.end;
    if (!site_.use.args.empty() || old.back() != ')' || callee < at || callee - at >= old.size()) return std::string_view::npos;
    const std::size_t open = old.find('(', callee - at);
    return open != std::string_view::npos && old.find('#', open) != std::string_view::npos ? open : std::string_view::npos;
  }

  static bool has_quote(const std::vector<Edit>& edits) {
    return std::any_of(edits.begin(), edits.end(), [](const Edit& e) { return e.text.find_first_of("\"'\n\\") != std::string::npos; });
  }

  const FixSite& site_;
  Span target_;
  std::vector<Part> parts_;
  std::vector<Edit> extra_;
  bool safe_ = true;
};

}  // namespace

std::optional<Fix> render(const FixTemplate& fix, const FixSite& site) { return Renderer(site).render(fix); }

}  // namespace torchport
