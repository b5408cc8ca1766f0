// Types that annotations give as strings: Optional["torch.cuda.Stream"] names what Optional[torch.cuda.Stream] does.
#include "analyzers/python/collect.h"
#include "analyzers/text.h"

namespace torchport::python {
namespace {

// What may stand between an annotation and a string that is part of the type: generic types and unions.
bool builds_types(Kind kind) { return kind == Kind::Type || kind == Kind::Subscript || kind == Kind::BinaryOperator || kind == Kind::Other; }

constexpr int kDeepest = 32;  // no type that people write is deeper; long sums of strings are

}  // namespace

// Whether the string is (part of) a type; what Literal and Annotated hold is text.
bool Collector::is_annotation(NodeId string) const {
  NodeId up = tree_[string].parent;
  for (int depth = 0; depth < kDeepest && up != kNoNode && builds_types(tree_[up].kind); ++depth, up = tree_[up].parent) {
    const NodeId head = tree_[up].kind == Kind::Type ? kNoNode : tree_.first_child(up);
    const std::string_view name = head == kNoNode || tree_[head].span.end - tree_[head].span.start > 64 ? std::string_view() : last_part(tree_.text(head));
    if (name == "Literal" || name == "Annotated") return false;
    const NodeId outer = tree_[up].parent;
    if (tree_[up].kind == Kind::Type && (outer == kNoNode || !builds_types(tree_[outer].kind))) return true;
  }
  return false;
}

void Collector::annotation_text(NodeId string) {
  const NodeId content = tree_.child(string, Kind::StringContent);
  if (content == kNoNode || tree_.child(string, Kind::Interpolation) != kNoNode || !is_annotation(string)) return;
  const Span whole = tree_[content].span;
  const std::string_view text = tree_.text(content);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (is_word(text[end]) || text[end] == '.')) ++end;
    if (end > at) annotation_name(string, text.substr(at, end - at), {whole.start + static_cast<std::uint32_t>(at), whole.start + static_cast<std::uint32_t>(end)});
    at = end + 1;
  }
}

void Collector::annotation_name(NodeId string, std::string_view dotted, Span span) {
  const std::string_view head = dotted.substr(0, dotted.find('.'));
  const NameId name = names_.interner().find(head);
  if (name == kNoId || name_may_be_path_[name] == 0) return;
  for (const BindingId id : names_.resolve_name(name, names_.scope_of(string), string)) {
    const Binding& binding = names_.bindings()[id];
    if (binding.kind != BindingKind::Import || !interesting(binding.path)) continue;
    std::string& symbol = out_.names.emplace_back(names_.paths().text(binding.path));
    symbol += dotted.substr(head.size());
    Use use = start(UseKind::Reference, string, symbol);
    use.span = use.callee = span;
    use.form.in_string = true;
    if (const auto it = import_of_.find(binding.value); it != import_of_.end()) use.import = it->second;
    emit(std::move(use));
    return;
  }
}

}  // namespace torchport::python
