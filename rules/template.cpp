#include "rules/template.h"

#include <algorithm>
#include <utility>

#include "analyzers/error.h"
#include "analyzers/text.h"
#include "opdb/torch_names.h"

namespace torchport {
namespace {

Piece parse_placeholder(std::string_view text) {
  Piece piece;
  if (text == "args") piece.kind = Piece::Kind::Args;
  if (text == "keywords") piece.kind = Piece::Kind::Keywords;
  if (text == "receiver") piece.kind = Piece::Kind::Receiver;
  if (text == "callee") piece.kind = Piece::Kind::Callee;
  if (text == "symbol") piece.kind = Piece::Kind::Symbol;
  if (text == "last") piece.kind = Piece::Kind::Last;
  if (text == "dtype") piece.kind = Piece::Kind::Dtype;
  if (text == "device") piece.kind = Piece::Kind::Device;
  if (text == "device.type") piece.kind = Piece::Kind::DeviceType;
  if (piece.kind != Piece::Kind::Text) return piece;
  if (text.substr(0, 5) == "rest:") {
    piece.kind = Piece::Kind::Rest;
    text = text.substr(5);
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      piece.which.push_back(parse_which(text.substr(0, comma)));
      text = text.substr(std::min(comma + 1, text.size()));
    }
    return piece;
  }
  piece.kind = Piece::Kind::Argument;
  const std::size_t question = text.find('?');
  if (question != std::string_view::npos) {
    piece.has_default = true;
    piece.text = text.substr(question + 1);
  }
  piece.which.push_back(parse_which(text.substr(0, question)));
  return piece;
}

}  // namespace

Piece::Which parse_which(std::string_view text) {
  Piece::Which which;
  const std::size_t slash = text.find('/');
  const std::string_view first = text.substr(0, slash);
  if (!first.empty() && first.find_first_not_of("0123456789") == std::string_view::npos) {
    which.position = std::stoi(std::string(first));
    if (slash != std::string_view::npos) which.keyword = text.substr(slash + 1);
  } else if (first.substr(0, 3) == "kw:") {
    which.keyword = first.substr(3);
  } else {
    throw Error("unknown placeholder {" + std::string(text) + "}");
  }
  return which;
}

std::vector<Piece> parse_template(std::string_view text) {
  std::vector<Piece> pieces;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool opens = text[i] == '{';
    if (opens && text.substr(i, 2) != "{{") {
      const std::size_t end = text.find('}', i);
      if (end == std::string_view::npos) throw Error("a placeholder is not closed");
      if (!plain.empty()) pieces.push_back({Piece::Kind::Text, std::exchange(plain, {}), false, {}});
      pieces.push_back(parse_placeholder(text.substr(i + 1, end - i - 1)));
      i = end;
      continue;
    }
    plain += text[i];
    if ((opens || text[i] == '}') && i + 1 < text.size() && text[i + 1] == text[i]) ++i;
  }
  if (!plain.empty()) pieces.push_back({Piece::Kind::Text, plain, false, {}});
  return pieces;
}

std::vector<std::string> torch_names_in(std::string_view code) {
  std::vector<std::string> names;
  for (std::size_t at = code.find("torch."); at != std::string_view::npos; at = code.find("torch.", at + 1)) {
    if (at > 0 && (is_word(code[at - 1]) || code[at - 1] == '.')) continue;
    std::size_t end = at;
    while (end < code.size() && (is_word(code[end]) || (code[end] == '.' && end + 1 < code.size() && is_word(code[end + 1])))) ++end;
    std::string name(code.substr(at, end - at));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

void settle_constants(std::vector<Piece>& pieces, const std::function<std::string_view(const Piece::Which&)>& written) {
  for (std::size_t i = 0; i + 3 < pieces.size(); ++i) {
    std::string& last = pieces[i + 3].text;
    if (pieces[i].kind != Piece::Kind::Argument || pieces[i + 1].text != " and " || pieces[i + 2].kind != Piece::Kind::DeviceType || !last.starts_with(kNotCpu)) continue;
    const std::string_view value = written(pieces[i].which[0]);
    const auto at = pieces.begin() + static_cast<std::ptrdiff_t>(i);
    if (value == "True") {
      pieces.erase(at, at + 2);
    } else if (value == "False") {
      last.erase(0, kNotCpu.size());
      pieces.erase(at + 1, at + 3);
    }
  }
}

void check_template(FixTemplate& fix) {
  if (fix.text == kDeleteStatement) return;
  if (!fix.argument.empty()) parse_which(fix.argument);
  for (const Piece& piece : parse_template(fix.text)) {
    if (piece.kind != Piece::Kind::Text) continue;
    for (const std::string& name : torch_names_in(piece.text)) {
      const TorchName* known = torch_names().find(name);
      if (known == nullptr) throw Error("the fix writes " + name + ", which is not in opdb/data/torch_names.tsv");
      if (known->until != 0) throw Error("the fix writes " + name + ", which torch " + torch_version_text(known->until) + " had last");
      fix.since = std::max(fix.since, known->since);
      fix.guarded = fix.guarded || known->raises;
    }
  }
}

}  // namespace torchport
