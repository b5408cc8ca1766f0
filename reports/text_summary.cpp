#include <algorithm>
#include <array>
#include <map>

#include "opdb/coverage.h"
#include "opdb/torch_names.h"
#include "reports/write_text.h"

namespace torchport {
namespace {

std::string folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string("./") : std::string(path.substr(0, slash + 1));
}

bool counts(const Report& report, const Finding& finding) {
  return !finding.suppressed && worst_impact(finding, report.targets) >= Impact::Degrades;
}

std::string table(const Report& report, const Paint& paint) {
  constexpr std::array<std::string_view, 6> kHeads = {"blocks",   "degrades",   "cosmetic",
                                                      "safe fix", "review fix", "by hand"};
  std::size_t first = std::string_view("family").size();
  for (const FamilyCounts& family : report.families) first = std::max(first, family.family.size());
  std::string text = padded("family", first);
  for (const auto head : kHeads) text += "  " + std::string(head);
  text = paint.bold(text) + "\n";
  const auto row = [&](std::string_view name, const Counts& c) {
    const std::uint32_t by_hand = c.blocks + c.degrades - c.fixed_safe - c.fixed_review;
    const std::array<std::uint32_t, 6> cells = {c.blocks,     c.degrades,     c.cosmetic,
                                                c.fixed_safe, c.fixed_review, by_hand};
    text += padded(name, first);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = aligned_right(cells[i] == 0 ? "·" : std::to_string(cells[i]), kHeads[i].size() + 2);
      const Impact impact = i == 0 ? Impact::Blocks : i == 1 ? Impact::Degrades : Impact::None;
      text += cells[i] != 0 && impact != Impact::None ? paint.by(impact, cell) : cell;
    }
    text += "\n";
  };
  for (const FamilyCounts& family : report.families) row(family.family, family.worst);
  if (report.families.size() > 1) row("all", report.worst);
  return text;
}

std::string files_line(const Report& report) {
  std::size_t partial = 0, unreadable = 0;
  for (const FileEntry& file : report.files) {
    if (file.unreadable) {
      ++unreadable;
    } else if (is_partial(file)) {
      ++partial;
    }
  }
  std::vector<std::string> parts = {counted(report.scanned, "file") + " analysed"};
  if (report.skipped != 0) parts.push_back(std::to_string(report.skipped) + " with no word of a device");
  if (partial != 0) parts.push_back(std::to_string(partial) + " understood in part");
  if (unreadable != 0) parts.push_back(std::to_string(unreadable) + " unreadable");
  const std::string hipified = report.hipified == 0 ? "" : "; " + std::to_string(report.hipified) + " by hipify";
  if (report.left_out != 0) parts.push_back(std::to_string(report.left_out) + " left out (vendored or generated" + hipified + ")");
  if (report.suppressed != 0) parts.push_back(counted(report.suppressed, "finding") + " allowed");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text + "\n";
}

// "8 findings block, 1 degrades"; empty where there is neither.
std::string impacts(const Counts& c) {
  std::string text;
  if (c.blocks != 0) text += counted(c.blocks, "finding") + (c.blocks == 1 ? " blocks" : " block");
  if (c.degrades == 0) return text;
  text += text.empty() ? counted(c.degrades, "finding") : ", " + std::to_string(c.degrades);
  return text + (c.degrades == 1 ? " degrades" : " degrade");
}

std::string parts_line(const Report& report) {
  std::string text;
  std::size_t parts = 0;
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const std::string found = impacts(report.worst_by_part[i]);
    if (found.empty()) continue;
    text += (text.empty() ? "" : "; ") + std::string(name_of(static_cast<Part>(i))) + ": " + found;
    ++parts;
  }
  const bool only_core = parts == 1 && !impacts(report.worst_by_part[0]).empty();
  return text.empty() || only_core ? std::string() : "in " + text + "\n";
}

std::string verdict(const Counts& c) {
  std::string text = impacts(c);
  if (text.empty()) return "nothing found that blocks or degrades";
  const std::uint32_t by_hand = c.blocks + c.degrades - c.fixed_safe - c.fixed_review;
  if (c.fixed_safe != 0) text += "; `fix` takes away " + std::to_string(c.fixed_safe);
  if (c.fixed_review != 0) {
    const std::string n = std::to_string(c.fixed_review);
    text += c.fixed_safe != 0 ? ", `fix --unsafe` " + n + " more" : "; `fix --unsafe` takes away " + n;
  }
  text += by_hand == 0 ? "; none is left"
                       : "; " + std::to_string(by_hand) + (by_hand == 1 ? " is" : " are") + " left for people";
  return text;
}

// One line for all targets that have the same numbers.
std::string target_lines(const Report& report, const Paint& paint) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const Target target : report.targets) {
    const std::string text = verdict(report.counts[static_cast<std::size_t>(target)]);
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == text; });
    if (same == lines.end()) {
      lines.push_back({text, {std::string(name_of(target))}});
    } else {
      same->second.emplace_back(name_of(target));
    }
  }
  std::string text;
  for (const auto& [what, targets] : lines) text += paint.bold(listed(targets)) + ": " + what + "\n";
  return text;
}

// "operators: 120 uses; neuron: 100 native, 18 fall back to the CPU, 2 unknown"
std::string operator_line(const Report& report, const Paint& paint) {
  if (report.ops.uses == 0) return {};
  std::string text = paint.bold("operators") + ": " + counted(report.ops.uses, "use");
  for (const Target target : report.targets) {
    const auto& counts = report.ops.by_target[static_cast<std::size_t>(target)];
    text += "; " + std::string(name_of(target)) + ":";
    bool first = true;
    const auto part = [&](Support support, std::string_view what) {
      const std::uint32_t n = counts[static_cast<std::size_t>(support)];
      if (n == 0) return;
      text += (first ? " " : ", ") + std::to_string(n) + " " + std::string(what);
      first = false;
    };
    part(Support::Native, "native");
    part(Support::Fallback, "on the CPU");
    part(Support::Unsupported, "not there");
    part(Support::Unknown, "unknown");
  }
  const auto torch = parse_torch_version(report.torch_version);
  const std::string_view known = Coverage::torch_version();
  if (torch && *torch > *parse_torch_version(known)) {
    text += "; the database is of torch " + std::string(known) + ", the project's is newer";
  }
  if (report.ops.possible != 0) text += "; and " + std::to_string(report.ops.possible) + " that may be";
  return text + "\n";
}

// The places with most findings, first by number and then by name.
std::string most(const std::map<std::string, std::size_t>& counted_places) {
  std::vector<std::pair<std::string, std::size_t>> places(counted_places.begin(), counted_places.end());
  std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < places.size() && i < 3; ++i) {
    text += (i == 0 ? "" : ", ") + printable(places[i].first) + " (" + std::to_string(places[i].second) + ")";
  }
  return text;
}

std::string where_lines(const Report& report, const Paint& paint) {
  std::map<std::string, std::size_t> files, folders, by_hand;
  for (const Finding& finding : report.findings) {
    if (!counts(report, finding)) continue;
    const std::string& path = report.files[finding.file].path;
    ++files[path];
    ++folders[folder_of(path)];
    if (!has_edits(finding)) ++by_hand[finding.rule->id + " " + finding.rule->name];
  }
  if (files.empty()) return {};
  std::string text = paint.bold("most in") + ": " + most(files);
  if (folders.size() > 3) text += "; by folder: " + most(folders);
  text += "\n";
  if (!by_hand.empty())
    text += paint.bold("for people") + ": " + most(by_hand) + (by_hand.size() > 3 ? ", …" : "") + "\n";
  return text;
}

std::string not_judged(const Report& report, const Paint& paint) {
  std::string first;
  std::size_t more = 0;
  for (const FileEntry& file : report.files) {
    if (file.status == Status::Full || file.status == Status::Skipped) continue;
    if (!first.empty()) {
      ++more;
      continue;
    }
    first = (file.unreadable ? "" : "parts of ") + printable(file.path);
    if (!file.why.empty()) first += " (" + printable(file.why) + ")";
  }
  if (first.empty()) return {};
  if (more != 0) first += " and of " + std::to_string(more) + (more == 1 ? " more file" : " more files");
  return paint.bold("not judged") + ": " + first + "; what is there may break too\n";
}

std::string next_lines(const Report& report, const TextOptions& options, const Paint& paint) {
  std::string text;
  const std::string tail = options.command_flags + " " + options.paths;
  if (report.worst.fixed_safe != 0) {
    text += paint.bold("next") + ": torchport fix --diff" + tail + "\n";
  } else if (report.worst.fixed_review != 0) {
    text += paint.bold("next") + ": torchport fix --diff --unsafe" + tail + "\n";
  }
  const auto by_hand = std::find_if(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
    return counts(report, finding) && !has_edits(finding);
  });
  if (by_hand != report.findings.end()) {
    text += (text.empty() ? paint.bold("next") : "also") + ": torchport explain " + by_hand->rule->id + "\n";
  }
  return text;
}

}  // namespace

std::string text_summary(const Report& report, const TextOptions& options) {
  const Paint paint(options.colour);
  std::string text;
  if (!report.families.empty()) text += table(report, paint) + "\n";
  text += files_line(report);
  if (report.scanned + report.skipped == 0 && report.files.empty()) return text;
  text += parts_line(report);
  text += target_lines(report, paint);
  text += operator_line(report, paint);
  text += where_lines(report, paint);
  if (!report.families.empty()) {
    text += paint.bold("torch") + ": " + oldest_torch_text(report.torch_version, report.torch_source) + "\n";
  }
  text += not_judged(report, paint);
  return text + next_lines(report, options, paint);
}

}  // namespace torchport
