#include "reports/write_text.h"

#include <algorithm>
#include <set>

namespace torchport {
namespace {

constexpr std::string_view kIndent = "    ";
constexpr std::size_t kRelatedShown = 3;

// Moves as the text above it does: a tab stays a tab.
std::string blanks_under(std::string_view text) {
  std::string blanks;
  for (auto tab = text.find('\t'); tab != std::string_view::npos; tab = text.find('\t')) {
    blanks += std::string(width_of(text.substr(0, tab)), ' ') + '\t';
    text.remove_prefix(tab + 1);
  }
  return blanks + std::string(width_of(text), ' ');
}

class TextWriter {
 public:
  TextWriter(const Report& report, const TextOptions& options, const Sink& sink)
      : report_(report), options_(options), paint_(options.colour), sink_(sink) {}

  void write() {
    for (std::size_t i = 0; i < report_.findings.size(); ++i) {
      if (report_.findings[i].suppressed && !options_.verbose) continue;
      if (!options_.hidden.empty() && options_.hidden[i]) continue;
      write(i);
    }
    if (written_) sink_("\n");
  }

 private:
  void write(std::size_t index) {
    const Finding& finding = report_.findings[index];
    const bool brief = !options_.verbose && finding.rule->family != "file" &&
                       worst_impact(finding, report_.targets) == Impact::Cosmetic;
    std::string text = header(index);
    if (!brief) {
      text += snippet(report_.locations[index], finding);
      text += whys(finding);
      text += to_do(finding);
      text += related(index);
      if (options_.verbose) text += details(finding);
    }
    if (written_ && !(brief && last_was_brief_)) sink_("\n");
    sink_(text);
    written_ = true;
    last_was_brief_ = brief;
  }

  // "neuron, tpu: blocks; xpu: degrades"
  std::string impacts(const Finding& finding) const {
    std::string text;
    for (const Impact impact : {Impact::Blocks, Impact::Degrades, Impact::Cosmetic}) {
      std::string names;
      for (const Target target : report_.targets) {
        if (finding.impact[static_cast<std::size_t>(target)] != impact) continue;
        names += (names.empty() ? "" : ", ") + std::string(name_of(target));
      }
      if (names.empty()) continue;
      text += (text.empty() ? "" : "; ") + names + ": " + paint_.by(impact, name_of(impact));
    }
    return text;
  }

  std::string header(std::size_t index) const {
    const Finding& finding = report_.findings[index];
    std::string text = paint_.bold(place_text(report_, index)) + ": " +
                       paint_.by(worst_impact(finding, report_.targets), finding.rule->id) + " " + finding.rule->name +
                       ": " + printable(finding.message);
    const bool about_code = finding.rule->family != "file";
    if (const std::string on = impacts(finding); about_code && !on.empty()) text += " [" + on + "]";
    if (finding.suppressed)
      text +=
          paint_.dim(" (allowed" + (finding.suppressed->empty() ? "" : ": " + printable(*finding.suppressed)) + ")");
    return text + "\n";
  }

  std::string snippet(const Location& location, const Finding& finding) const {
    if (report_.files[finding.file].unreadable || location.line.empty()) return {};
    const std::string_view line = location.line;
    const auto from = std::min<std::size_t>(location.range.start.column - location.line_column, line.size());
    const bool one_line = location.range.start.line == location.range.end.line;
    const auto to = one_line
                        ? std::clamp<std::size_t>(location.range.end.column - location.line_column, from, line.size())
                        : line.size();
    std::string_view before_bytes = line.substr(0, from);
    const bool cut = location.line_column > 1;
    if (!cut) before_bytes.remove_prefix(std::min(before_bytes.find_first_not_of(" \t\f"), before_bytes.size()));
    const std::string all_before = printable(before_bytes), all_marked = printable(line.substr(from, to - from)),
                      all_after = printable(line.substr(to));
    const std::size_t room = std::max<std::size_t>(options_.width, 40) - kIndent.size() - 2;

    std::string before(
        tail(all_before, std::max(room / 2, room - std::min(room, width_of(all_marked) + width_of(all_after)))));
    if (cut || before.size() < all_before.size()) before = "…" + before;
    std::string marked(head(all_marked, room - std::min(room, width_of(before))));
    std::string after;
    if (marked.size() < all_marked.size()) {
      after = "…";
    } else {
      after = head(all_after, room - std::min(room, width_of(before) + width_of(marked)));
      if (after.size() < all_after.size()) after += "…";
    }
    while (!after.empty() && (after.back() == ' ' || after.back() == '\t')) after.pop_back();
    const Impact worst = worst_impact(finding, report_.targets);
    std::string label;
    if (has_edits(finding) && !finding.suppressed)
      label = " " + std::string(name_of(finding.fix->applicability)) + " fix";
    return std::string(kIndent) + before + marked + after + "\n" + std::string(kIndent) + blanks_under(before) +
           paint_.by(worst, std::string(std::max<std::size_t>(1, width_of(marked)), '^') + label) + "\n";
  }

  // Once for each rule and wording, unless all is asked for.
  bool is_news(const Finding& finding, std::string_view text) {
    return said_.emplace(finding.rule, std::string(text)).second || options_.verbose;
  }

  std::string whys(const Finding& finding) {
    std::vector<std::pair<std::string_view, std::string>> reasons;  // and the targets that they hold for
    for (const Target target : report_.targets) {
      const std::string_view why = why_on(finding, target);
      if (why.empty()) continue;
      const auto known =
          std::find_if(reasons.begin(), reasons.end(), [&](const auto& reason) { return reason.first == why; });
      if (known == reasons.end()) {
        reasons.emplace_back(why, name_of(target));
      } else {
        known->second += ", " + std::string(name_of(target));
      }
    }
    if (reasons.empty() && !finding.rule->why.empty()) reasons.emplace_back(finding.rule->why, "");
    std::string text;
    for (const auto& [why, targets] : reasons) {
      if (!is_news(finding, why)) continue;
      const std::string on = reasons.size() > 1 ? " on " + targets : std::string();
      text += std::string(kIndent) + paint_.dim("why" + on + ":") + " " + printable(why) + "\n";
    }
    return text;
  }

  std::string to_do(const Finding& finding) {
    const std::string_view what = advice(finding);
    if (what.empty() || !is_news(finding, what)) return {};
    return std::string(kIndent) + paint_.green(has_edits(finding) ? "fix:" : "by hand:") + " " + printable(what) + "\n";
  }

  std::string related(std::size_t index) const {
    const Finding& finding = report_.findings[index];
    const auto& places = report_.locations[index].related;
    std::string text;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i == kRelatedShown && places.size() > kRelatedShown + 1 && !options_.verbose) {
        return text + std::string(kIndent) + paint_.dim("see") + " " + counted(places.size() - i, "more place") + "\n";
      }
      text += std::string(kIndent) + paint_.dim("see") + " " + printable(report_.files[finding.related[i].file].path) +
              ":" + std::to_string(places[i].start.line) + ": " + printable(finding.related[i].message) + "\n";
    }
    return text;
  }

  std::string details(const Finding& finding) const {
    if (finding.symbol.empty()) return {};
    std::string text = std::string(kIndent) + paint_.dim("use:") + " " + printable(finding.symbol) + ", via " +
                       std::string(name_of(finding.via)) + (finding.guarded ? ", guarded" : "");
    if (!finding.function.empty()) text += ", in " + printable(finding.function);
    return text + "\n";
  }

  const Report& report_;
  const TextOptions& options_;
  Paint paint_;
  const Sink& sink_;
  std::set<std::pair<const Rule*, std::string>> said_;
  bool written_ = false;
  bool last_was_brief_ = false;
};

}  // namespace

std::string place_text(const Report& report, std::size_t finding) {
  const Position at = report.locations[finding].range.start;
  return printable(report.files[report.findings[finding].file].path) + ":" + std::to_string(at.line) + ":" +
         std::to_string(at.column);
}

void write_text(const Report& report, const TextOptions& options, const Sink& sink) {
  write_findings(report, options, sink);
  sink(text_summary(report, options));
}

void write_findings(const Report& report, const TextOptions& options, const Sink& sink) {
  TextWriter(report, options, sink).write();
}

}  // namespace torchport
