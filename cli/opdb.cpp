// torchport opdb: what the database says, where two of its tables differ, and a new one from a backend's sources.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "analyzers/error.h"
#include "cli/commands.h"
#include "cli/git.h"
#include "cli/nearest.h"
#include "cli/opdb_probe.h"
#include "cli/output.h"
#include "cli/write_file.h"
#include "opdb/apis.h"
#include "opdb/coverage.h"
#include "opdb/extract/extract.h"

namespace torchport {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kUsage =
    "torchport opdb list | show OP | diff A B | diff --old FILE | extract DIR --target T | probe --library LIB.so --target T";

std::string text_of(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string list(bool json) {
  Json targets = Json::object();
  std::string text = "overloads of torch " + std::string(Coverage::torch_version()) + ": " +
                     std::to_string(coverage().overloads().size()) + "\n";
  for (const Target target : known_targets()) {
    std::array<std::uint32_t, 5> counts{};
    for (const std::string_view op : coverage().overloads())
      ++counts[static_cast<std::size_t>(coverage().answer(op, target).support)];
    Json row = Json::object();
    text += "\n" + std::string(name_of(target)) + (coverage().partial(target) ? ": partial," : ":");
    for (std::size_t s = 0; s < counts.size(); ++s) {
      row[std::string(name_of(static_cast<Support>(s)))] = counts[s];
      if (counts[s] != 0) text += " " + std::to_string(counts[s]) + " " + std::string(name_of(static_cast<Support>(s)));
    }
    text += "\n";
    row["source"] = coverage().provenance(target);
    for (const std::string_view line : coverage().provenance(target)) text += "  " + std::string(line) + "\n";
    targets[std::string(name_of(target))] = std::move(row);
  }
  return json ? text_of({{"torch", Coverage::torch_version()}, {"targets", std::move(targets)}}) : text;
}

// The overloads meant by a word: itself, or all of an operator named without its overload.
std::vector<std::string> meant_by(std::string_view word) {
  if (coverage().known(word)) return {full_name(word)};
  if (coverage().known_of_others(word)) return {std::string(word)};
  std::string_view bare = word;
  if (bare.starts_with("aten::")) bare.remove_prefix(6);
  std::vector<std::string> found;
  std::vector<std::string_view> bases;
  for (const std::string_view op : coverage().overloads()) {
    if (op.substr(0, op.find('.')) == bare) found.push_back(full_name(op));
    bases.push_back(op);
  }
  if (!found.empty()) return found;
  const std::string meant = did_you_mean(bare, bases);
  throw Error("torch " + std::string(Coverage::torch_version()) + " has no overload \"" + std::string(word) + "\"", {},
              0, meant.empty() ? "names are like aten::add.Tensor" : meant + "?");
}

Json show_json(const std::string& op) {
  Json targets = Json::object();
  for (const Target target : known_targets()) {
    const Answer answer = coverage().answer(op, target);
    targets[std::string(name_of(target))] = {
        {"support", name_of(answer.support)}, {"evidence", answer.evidence}, {"limits", answer.limits}};
  }
  return {{"op", op}, {"targets", std::move(targets)}};
}

std::string show_text(const std::string& op) {
  std::string text = op + "\n";
  for (const Target target : known_targets()) {
    const Answer answer = coverage().answer(op, target);
    std::string name(name_of(target));
    name.resize(std::max<std::size_t>(name.size() + 1, 8), ' ');
    std::string support(name_of(answer.support));
    support.resize(13, ' ');
    text += "  " + name + support + answer.evidence + "\n";
    if (!answer.limits.empty()) text += std::string(23, ' ') + "limits: " + answer.limits + "\n";
  }
  std::string reached;
  for (const std::string_view api : apis().reaching(op)) reached += (reached.empty() ? "" : ", ") + std::string(api);
  return text + "  reached by: " + (reached.empty() ? "no API that was measured" : reached) + "\n";
}

std::string show(const std::vector<std::string>& words, bool json) {
  if (words.size() < 2) throw Error("show wants an operator", {}, 0, std::string(kUsage));
  std::vector<std::string> ops;
  for (std::size_t i = 1; i < words.size(); ++i) {
    for (std::string& op : meant_by(words[i])) ops.push_back(std::move(op));
  }
  std::string text;
  Json many = Json::array();
  for (const std::string& op : ops) {
    if (json) {
      many.push_back(show_json(op));
    } else {
      text += (text.empty() ? "" : "\n") + show_text(op);
    }
  }
  return json ? text_of(many.size() == 1 ? many[0] : many) : text;
}

std::string differences(const std::string& from, const std::string& to, bool json, const Coverage& old_one, Target a,
                        Target b) {
  std::string text;
  Json rows = Json::array();
  std::array<std::array<std::uint32_t, 5>, 5> counts{};
  for (const std::string_view op : coverage().overloads()) {
    const Support before = old_one.answer(op, a).support;
    const Support after = coverage().answer(op, b).support;
    if (before == after) continue;
    ++counts[static_cast<std::size_t>(before)][static_cast<std::size_t>(after)];
    rows.push_back({{"op", full_name(op)}, {"from", name_of(before)}, {"to", name_of(after)}});
    text += full_name(op) + "\t" + std::string(name_of(before)) + "\t" + std::string(name_of(after)) + "\n";
  }
  if (json) return text_of({{"from", from}, {"to", to}, {"differ", std::move(rows)}});
  std::string head = "op\t" + from + "\t" + to + "\n";
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      if (counts[i][j] == 0) continue;
      head.insert(0, "# " + std::to_string(counts[i][j]) + ": " + std::string(name_of(static_cast<Support>(i))) +
                         " -> " + std::string(name_of(static_cast<Support>(j))) + "\n");
    }
  }
  return head + text;
}

std::string diff(const Options& options) {
  const bool json = options.format == "json";
  if (options.old.empty()) {
    if (options.paths.size() != 3) throw Error("diff wants two targets, or --old FILE", {}, 0, std::string(kUsage));
    return differences(options.paths[1], options.paths[2], json, coverage(), parse_target(options.paths[1]),
                       parse_target(options.paths[2]));
  }
  Coverage old_one;
  const Target target = old_one.replace(read_file(options.old), options.old);
  return differences(options.old, std::string(name_of(target)), json, old_one, target, target);
}

struct GitSource {
  std::string remote, commit;
};
GitSource git_source(const std::string& folder) {
  std::string commit, remote;
  const auto into = [](std::string& text) { return [&text](std::string_view piece) { text += piece; }; };
  run_git(folder, {"log", "-1", "--format=commit %h, %cs"}, into(commit));
  run_git(folder, {"remote", "get-url", "origin"}, into(remote));
  for (std::string* text : {&commit, &remote}) {
    while (!text->empty() && text->back() == '\n') text->pop_back();
  }
  return {remote, commit};
}

std::string base_name(const std::string& folder) { return folder.substr(folder.find_last_of('/', folder.size() - 2) + 1); }

std::string cited(const std::string& folder, const GitSource& git) {
  return (git.remote.empty() ? base_name(folder) : git.remote) + ", " + git.commit;
}

// The folder, and what git knows of it; where it is no work tree, of the folders in it: backends come in several repositories.
std::string source_of(const std::string& folder) {
  const GitSource whole = git_source(folder);
  if (!whole.commit.empty()) return cited(folder, whole);
  std::string parts;
  std::error_code error;
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) folders.insert(entry.path().string());
  }
  for (const std::string& part : folders) {
    const GitSource git = git_source(part);
    if (!git.commit.empty()) parts += (parts.empty() ? "" : "; ") + cited(part, git);
  }
  return parts.empty() ? base_name(folder) + ", no git there, so the commit is not known" : parts;
}

std::string extract(const Options& options) {
  if (options.paths.size() != 2)
    throw Error("extract wants the folder of a backend's sources", {}, 0, std::string(kUsage));
  if (options.targets.size() != 1) throw Error("extract wants --target, one target", {}, 0, std::string(kUsage));
  return extract_table(options.paths[1], target_of_table(options), coverage(),
                       source_of(options.paths[1]));
}

}  // namespace

int run_opdb(const Options& options) {
  const std::string& what = options.paths.front();
  const bool json = options.format == "json";
  std::string text;
  if (what == "list") {
    text = list(json);
  } else if (what == "show") {
    text = show(options.paths, json);
  } else if (what == "diff") {
    text = diff(options);
  } else if (what == "extract") {
    text = extract(options);
  } else if (what == "probe") {
    text = probe_table(options);
  } else {
    const std::string meant = did_you_mean(what, {"list", "show", "diff", "extract", "probe"});
    throw Error("opdb cannot \"" + what + "\"", {}, 0, meant.empty() ? std::string(kUsage) : meant + "?");
  }
  Output output(options.output);
  output.write(text);
  output.finish();
  return 0;
}

}  // namespace torchport
