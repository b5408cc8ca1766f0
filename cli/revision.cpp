#include "cli/revision.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "analyzers/error.h"
#include "cli/collector.h"
#include "cli/git.h"
#include "cli/scope.h"

namespace torchport {
namespace {

// A file that the revision has, and that is now another or gone.
struct ChangedFile {
  std::string path;    // from the top
  std::string object;  // its id then; empty: it is no regular file that the revision has
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

template <typename Take>
void each_record(std::string_view records, Take take) {
  for (std::size_t end = records.find('\0'); end != std::string_view::npos; end = records.find('\0')) {
    take(std::string(records.substr(0, end)));
    records.remove_prefix(end + 1);
  }
}

// Those that the index knows and git does not look at: skip-worktree (also what a sparse checkout leaves out) and assume-unchanged. Nothing where
// git cannot tell.
std::unordered_set<std::string> unwatched_paths(const std::string& top) {
  std::string listing;
  std::unordered_set<std::string> paths;
  const ChildResult result = run_git(top, {"ls-files", "-v", "-z"}, [&](std::string_view piece) { listing += piece; });
  if (result.status != 0) return paths;
  each_record(listing, [&](const std::string& record) {
    const bool watched = record.size() < 3 || (record[0] != 'S' && (record[0] < 'a' || record[0] > 'z'));
    if (!watched) paths.insert(record.substr(2));
  });
  return paths;
}

class Revision {
 public:
  Revision(std::string top, std::string name) : top_(std::move(top)), name_(std::move(name)) {
    if (name_.starts_with('-'))
      throw Error("\"" + name_ + "\" is no revision", {}, 0, "give one that git knows, as HEAD~1");
    commit_ = ask({"rev-parse", "--verify", "--quiet", name_ + "^{commit}"}, "is not known here");
    commit_ = first_line(commit_);
  }

  std::unordered_set<std::string> paths() const {
    std::unordered_set<std::string> paths;
    each_record(ask({"ls-tree", "-r", "-z", "--name-only", "--full-tree", commit_}, "cannot be listed"),
                [&](std::string path) { paths.insert(std::move(path)); });
    return paths;
  }

  std::vector<ChangedFile> changed() const {
    std::vector<ChangedFile> files;
    std::string head;
    const std::string listing =
        ask({"diff-index", "-z", "--no-renames", "--no-relative", "--ignore-submodules=all", commit_},
            "cannot be compared");
    each_record(listing, [&](std::string record) {
      if (head.empty()) {
        head = std::move(record);
        return;
      }
      // ":100644 100644 <object then> <object now> M"
      const std::string mode = head.substr(1, 6);
      const std::size_t object = 15, end = head.find(' ', object);
      const bool regular = mode == "100644" || mode == "100755";
      files.push_back({std::move(record), regular ? head.substr(object, end - object) : std::string()});
      head.clear();
    });
    return files;
  }

  // Of files that git was told not to look at nobody knows whether they are as they were.
  void add_unwatched(std::vector<ChangedFile>& files) const {
    std::unordered_set<std::string> unwatched = unwatched_paths(top_);
    for (const ChangedFile& file : files) unwatched.erase(file.path);
    std::erase_if(unwatched, [&](const std::string& path) {
      std::error_code error;
      return !std::filesystem::is_regular_file(top_ + "/" + path, error);
    });
    if (unwatched.empty()) return;
    each_record(ask({"ls-tree", "-r", "-z", "--full-tree", commit_}, "cannot be listed"), [&](std::string record) {
      // "100644 blob <object>\t<path>"
      const std::size_t tab = record.find('\t'), object = record.rfind(' ', tab) + 1;
      std::string path = record.substr(tab + 1);
      if (record.starts_with("100") && unwatched.contains(path)) files.push_back({std::move(path), record.substr(object, tab - object)});
    });
  }

  // The bytes of each object, in their order.
  std::vector<std::string> read(const std::vector<std::string>& objects) const {
    std::string wanted;
    for (const std::string& object : objects) wanted += object + "\n";
    const std::string answer = objects.empty() ? std::string() : ask({"cat-file", "--batch"}, "cannot be read", wanted);
    std::vector<std::string> all;
    std::string_view rest = answer;
    for (const std::string& object : objects) {
      // "<object> blob <size>\n<bytes>\n", or "<object> missing\n"
      const std::string_view head = rest.substr(0, rest.find('\n'));
      if (head.find(" blob ") == std::string_view::npos) missing("lacks the object " + object);
      const std::size_t size = std::stoull(std::string(head.substr(head.rfind(' ') + 1)));
      all.emplace_back(rest.substr(head.size() + 1, size));
      rest.remove_prefix(std::min(rest.size(), head.size() + size + 2));
    }
    return all;
  }

 private:
  std::string ask(const std::vector<std::string>& arguments, const char* trouble, std::string_view input = {}) const {
    std::string answer;
    const ChildResult result = run_git(
        top_, arguments, [&](std::string_view piece) { answer += piece; }, input);
    if (result.status == 0) return answer;
    if (result.status < 0) throw Error("--since needs git, which cannot be run", {}, 0, "install git");
    const std::string said = first_line(result.errors);
    missing(trouble + (said.empty() ? std::string() : " (" + said + ")"));
  }

  [[noreturn]] void missing(const std::string& trouble) const {
    std::string shallow;
    run_git(top_, {"rev-parse", "--is-shallow-repository"}, [&](std::string_view piece) { shallow += piece; });
    throw Error("revision \"" + name_ + "\" " + trouble, top_, 0,
                shallow.starts_with("true")
                    ? "the clone is shallow: fetch more of its history, with git fetch --unshallow or fetch-depth: 0"
                    : "give a revision that git rev-parse knows, and fetch what is missing");
  }

  std::string top_, name_, commit_;
};

std::string top_of(const Job& job) {
  std::optional<std::string> top;
  for (const std::string& path : job.paths) {
    const auto tree = work_tree(path);
    if (!tree) throw Error("lies in no git work tree", path, 0, "--since compares with a revision of one");
    if (top && *top != *tree)
      throw Error("lies in another work tree than " + job.paths.front(), path, 0, "gate one at a time");
    top = tree;
  }
  return *top;
}

// Whether a walk would have taken the file when it was there.
class OldScope {
 public:
  OldScope(const Job& job, const std::string& top) : job_(job), top_(top), scope_(job) {
    options_.wanted = [](std::string_view path) { return language_of(path, {}) != Language::None; };
    options_.vendored = job.config.vendored && job.config.vendored->text == "true";
    roots_ = scope_.folders();
    roots_.push_back(top_);
  }

  // The path as a report shows it; nothing where the file is none of the run's.
  std::optional<std::string> take(const std::string& path) {
    const std::string absolute = top_ + "/" + path;
    std::error_code error;
    const bool gone = !std::filesystem::exists(std::filesystem::symlink_status(absolute, error));
    if ((!gone && !scope_.holds(absolute)) || !in_scope(job_, absolute)) return std::nullopt;
    for (const std::string& root : roots_) {
      if (!absolute.starts_with(root + "/")) continue;
      const std::string below = absolute.substr(root.size() + 1);
      Walk unused;
      Collector collector(unused, options_, root);
      const std::size_t slash = below.rfind('/');
      const bool left_out =
          !scope_.names(absolute) &&
          (collector.leaves_out(collector.origins().of(below.substr(0, slash == std::string::npos ? 0 : slash)),
                                true) ||
           (!options_.vendored && looks_generated(below, {})));
      if (left_out || !collector.may_be_wanted(below)) return std::nullopt;
      return job_.paths.size() > 1 ? path : below;
    }
    return std::nullopt;
  }

  bool names(const std::string& absolute) const { return scope_.names(absolute); }

 private:
  const Job& job_;
  const std::string& top_;
  Scope scope_;
  WalkOptions options_;
  std::vector<std::string> roots_;
};

// Those of the revision that are others now, with their bytes of then.
std::vector<Input> changed_inputs(const Job& job, const std::string& top, const Revision& revision,
                                  const std::vector<ChangedFile>& changed) {
  OldScope scope(job, top);
  std::vector<Input> inputs;
  std::vector<std::string> objects;
  for (const ChangedFile& file : changed) {
    if (file.object.empty() || file.object.find_first_not_of('0') == std::string::npos) continue;
    const std::optional<std::string> shown = scope.take(file.path);
    if (!shown) continue;
    const std::string absolute = top + "/" + file.path;
    inputs.push_back({*shown, absolute, {}, scope.names(absolute)});
    objects.push_back(file.object);
  }
  std::vector<std::string> bytes = revision.read(objects);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].given = std::move(bytes[i]);
  return inputs;
}

}  // namespace

Earlier earlier_inputs(const Job& job, const Inputs& now, const std::string& revision_name) {
  const std::string top = top_of(job);
  const Revision revision(top, revision_name);
  std::vector<ChangedFile> changed = revision.changed();
  revision.add_unwatched(changed);
  std::unordered_set<std::string> unchanged = revision.paths();
  for (const ChangedFile& file : changed) unchanged.erase(file.path);

  std::vector<std::pair<Input, std::size_t>> files;  // with the run's file of the same bytes
  for (Input& input : changed_inputs(job, top, revision, changed)) files.emplace_back(std::move(input), kOther);
  for (std::size_t i = 0; i < now.files.size(); ++i) {
    const Input& input = now.files[i];
    const bool inside = input.absolute.starts_with(top + "/");
    if (inside && unchanged.contains(input.absolute.substr(top.size() + 1))) files.emplace_back(input, i);
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const auto& a, const auto& b) { return a.first.path < b.first.path; });
  Earlier earlier;
  earlier.same.assign(now.files.size(), kOther);
  for (auto& [input, same] : files) {
    if (same != kOther) earlier.same[same] = earlier.inputs.files.size();
    earlier.inputs.files.push_back(std::move(input));
  }
  return earlier;
}

void place_ties(std::vector<KnownTie>& ties, const Job& job, const Report& report) {
  const Scope scope(job);
  std::error_code no_matter;
  const std::filesystem::path top =
      work_tree(job.paths.front()).value_or(std::filesystem::current_path(no_matter).string());
  // What could not be read as a whole may hold them still.
  std::unordered_set<std::string> unread;
  for (const FileEntry& file : report.files) {
    if (file.unreadable || is_partial(file)) unread.insert(tie_path(file));
  }
  const auto judged = [&](const std::string& rule) {
    const Rule* known = job.catalogue.find(rule);
    return known != nullptr && !job.off.contains(known);
  };
  std::unordered_map<std::string, bool> gone;
  for (KnownTie& tie : ties) {
    const std::string absolute = (top / tie.path).string();
    tie.in_scope = scope.holds(absolute) && in_scope(job, absolute) && !unread.contains(tie.path) && judged(tie.rule);
    const auto [known, is_new] = gone.emplace(tie.path, false);
    if (is_new) {
      std::error_code error;
      known->second = !std::filesystem::exists(absolute, error) && !error;
    }
    tie.gone = known->second;
  }
  // A sparse checkout leaves files out that are there for git.
  if (std::none_of(ties.begin(), ties.end(), [](const KnownTie& tie) { return tie.gone; })) return;
  const std::unordered_set<std::string> absent = unwatched_paths(top.string());
  for (KnownTie& tie : ties) {
    if (!tie.gone || !absent.contains(tie.path)) continue;
    tie.in_scope = tie.gone = false;
  }
}

}  // namespace torchport
