#include <iterator>
#include <map>

#include "rewriter/rewrite.h"

namespace torchport {
namespace {

struct Insertion {
  std::string_view text;
  std::size_t fix = 0;
};

bool is_line_start(std::string_view text, std::uint32_t offset) {
  if (offset == 0) return true;
  const char before = text[offset - 1];
  if (before == '\r') return offset == text.size() || text[offset] != '\n';
  return before == '\n' || (offset == 3 && text.starts_with("\xef\xbb\xbf"));
}

bool ends_line(std::string_view text) { return text.ends_with('\n') || text.ends_with('\r'); }

// The edits taken so far. Replacements never overlap and no insertion lies inside one.
class EditSet {
 public:
  explicit EditSet(std::string_view text) : text_(text) {}

  // All edits of the fix or none; why not, or nullptr.
  const char* take(const std::vector<Edit>& edits) {
    ++fix_;
    added_.clear();
    for (const Edit& edit : edits) {
      const char* problem = add(edit);
      if (problem != nullptr) {
        undo();
        return problem;
      }
    }
    return nullptr;
  }

  std::string result() const;

 private:
  const char* add(const Edit& edit);
  const char* add_insertion(const Edit& edit);
  const char* add_replacement(const Edit& edit);
  void undo();

  static constexpr const char* kOverlaps = "overlaps another fix";

  std::string_view text_;
  std::map<std::uint32_t, const Edit*> replaced_;
  std::map<std::uint32_t, std::vector<Insertion>> inserted_;
  std::vector<Span> added_;  // of the fix being taken, for undo
  std::size_t fix_ = 0;
};

const char* EditSet::add(const Edit& edit) {
  if (edit.span.start > edit.span.end || edit.span.end > text_.size()) return "does not fit the file";
  return edit.span.empty() ? add_insertion(edit) : add_replacement(edit);
}

const char* EditSet::add_insertion(const Edit& edit) {
  const std::uint32_t offset = edit.span.start;
  const auto next = replaced_.lower_bound(offset);
  if (next != replaced_.begin() && std::prev(next)->second->span.end > offset) return kOverlaps;
  const auto here = inserted_.find(offset);
  if (here != inserted_.end()) {
    // Text of two fixes at one place is independent of its order only where each adds lines of its own.
    const bool line_start = is_line_start(text_, offset);
    for (const Insertion& other : here->second) {
      if (other.text == edit.text) return nullptr;
      const bool independent = line_start && ends_line(other.text) && ends_line(edit.text);
      if (other.fix != fix_ && !independent) return kOverlaps;
    }
  }
  inserted_[offset].push_back({edit.text, fix_});
  added_.push_back(edit.span);
  return nullptr;
}

const char* EditSet::add_replacement(const Edit& edit) {
  const auto next = replaced_.lower_bound(edit.span.start);
  if (next != replaced_.end() && *next->second == edit) return nullptr;
  if (next != replaced_.end() && next->first < edit.span.end) return kOverlaps;
  if (next != replaced_.begin() && std::prev(next)->second->span.end > edit.span.start) return kOverlaps;
  const auto inside = inserted_.upper_bound(edit.span.start);
  if (inside != inserted_.end() && inside->first < edit.span.end) return kOverlaps;
  replaced_.emplace(edit.span.start, &edit);
  added_.push_back(edit.span);
  return nullptr;
}

void EditSet::undo() {
  for (const Span& span : added_) {
    if (!span.empty()) {
      replaced_.erase(span.start);
      continue;
    }
    const auto here = inserted_.find(span.start);
    here->second.pop_back();
    if (here->second.empty()) inserted_.erase(here);
  }
}

std::string EditSet::result() const {
  std::string result;
  result.reserve(text_.size() + text_.size() / 16);
  std::uint32_t done = 0;
  const auto copy_until = [&](std::uint32_t offset) {
    result.append(text_.substr(done, offset - done));
    done = offset;
  };
  auto insertion = inserted_.begin();
  const auto insert_until = [&](std::uint32_t offset) {
    for (; insertion != inserted_.end() && insertion->first <= offset; ++insertion) {
      copy_until(insertion->first);
      for (const Insertion& one : insertion->second) result.append(one.text);
    }
  };
  for (const auto& [start, edit] : replaced_) {
    insert_until(start);
    copy_until(start);
    result.append(edit->text);
    done = edit->span.end;
  }
  insert_until(static_cast<std::uint32_t>(text_.size()));
  copy_until(static_cast<std::uint32_t>(text_.size()));
  return result;
}

}  // namespace

Rewrite apply_fixes(std::string_view text, const std::vector<Finding>& findings, bool unsafe) {
  Rewrite rewrite;
  EditSet edits(text);
  for (const Finding& finding : findings) {
    if (finding.suppressed) continue;
    std::string why;
    if (!finding.fix) {
      why = "no fix";
    } else if (finding.fix->applicability == Applicability::Manual || finding.fix->edits.empty()) {
      why = finding.fix->message.empty() ? "no fix" : finding.fix->message;
    } else if (finding.fix->applicability == Applicability::Review && !unsafe) {
      why = "needs --unsafe";
    } else if (const char* problem = edits.take(finding.fix->edits)) {
      why = problem;
    } else {
      rewrite.applied.push_back(&finding);
      continue;
    }
    rewrite.left.push_back({&finding, std::move(why)});
  }
  rewrite.text = edits.result();
  return rewrite;
}

}  // namespace torchport
