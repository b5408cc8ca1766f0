// What the C++ files of one scan know of each other: which __device__ functions a kernel reaches, who launches it, and by which registered
// operators it is reached. Functions are known by their names: within a file and what it includes of the project first, then anywhere
// where the name is rare. Headers are found by the ends of their paths, as no search path is known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzers/clang_facts.h"
#include "analyzers/facts.h"

namespace torchport {

struct NativePlace {
  std::string_view path;
  std::uint32_t line = 0;
  std::string_view symbol;
  friend auto operator<=>(const NativePlace&, const NativePlace&) = default;
};

// A function or operator that C++ makes known to torch or Python.
struct NativeEntry {
  NativePlace place;             // symbol: "ns::op" of torch, "module.function" of pybind11
  std::string_view name;         // without namespace or module
  std::string_view key;          // dispatch key; empty: none given
  RegistrationKind kind = RegistrationKind::Operator;
  bool cpu = false;              // it has, or leads to, code for the CPU
  std::vector<std::uint32_t> kernels;  // see NativeProject::kernels; sorted
};

struct NativeKernel {
  NativePlace place;             // of its __global__
  std::uint32_t file = 0;
  std::uint32_t native = 0;      // index into that file's natives
  std::uint32_t lines = 0;
  std::uint64_t features = 0;    // its own and those of what it calls
  std::uint64_t beyond_tokens = 0;     // of these, the ones that only Clang saw
  const ClangFunction* clang = nullptr;  // null: Clang did not read it
  std::vector<std::string> atomics, ptx;  // its own and those of what it calls, as far as Clang read it; sorted
  std::vector<NativePlace> launches;
  std::vector<std::uint32_t> entries;  // that reach it; sorted
};

class NativeProject {
 public:
  explicit NativeProject(std::size_t files) : files_(files) {}
  // May be called for different files at the same time.
  void add(std::size_t index, const SourceFile& source, const FileFacts& facts);
  // What Clang says of the file, and of those that it includes. Not at the same time; in the order of the files.
  void add(const ClangAnswer& answer);
  // When all are in.
  void close();

  const std::vector<NativeKernel>& kernels() const { return kernels_; }
  const std::vector<NativeEntry>& entries() const { return entries_; }
  // An extension module, as the build files and PYBIND11_MODULE name it, without its package; the ends of the paths of what it is made of.
  struct Module {
    std::string name;
    std::vector<std::string> sources;
  };
  const std::vector<Module>& modules() const { return modules_; }  // sorted by name
  bool is_module(std::string_view name) const;
  // Whether the file is among the sources of a module of that name, as far as build files say.
  bool built_from(std::string_view module, std::string_view path) const;
  // Calls from Python, which a second look found; not at the same time.
  void add_caller(std::uint32_t entry, std::string path, std::uint32_t line, std::string symbol) {
    callers_.push_back({entry, {std::move(path), line, std::move(symbol)}});
  }
  struct Caller {
    std::string path;
    std::uint32_t line = 0;
    std::string symbol;
  };
  const std::vector<std::pair<std::uint32_t, Caller>>& callers() const { return callers_; }

  const NativeKernel* kernel(std::size_t file, std::uint32_t native) const;
  // What Clang says of the launches that are written there: one for each place that a macro puts it, or the one itself; sorted.
  std::vector<const ClangLaunch*> clang_launches(std::size_t file, Span span) const;
  // The kernels that the launches of that line may launch.
  std::vector<NativePlace> launched_at(std::size_t file, std::uint32_t line) const;
  // The type of what the name there is a member of; empty: not known.
  std::string_view member_type(std::size_t file, std::uint32_t byte) const;
  // A kernel's place by its name's.
  std::optional<NativePlace> kernel_at(ClangPlace name) const;
  NativePlace place_of(ClangPlace at) const;
  // Whether the function of that name in that file leads to a launch.
  bool leads_to_kernel(std::size_t file, std::string_view function) const;

 private:
  using FunctionId = std::uint32_t;
  struct Function {
    std::string name;            // of kernels and registered functions only
    std::uint64_t hash = 0;
    Side side = Side::Host;
    bool cpu = false;            // by its name or its folder
    std::uint32_t native = 0, line = 0, lines = 0;
    std::uint64_t features = 0;
    std::vector<std::uint64_t> names;
    Span span;                   // whole
    const ClangFunction* clang = nullptr;
  };
  struct Launch {
    std::uint64_t kernel = 0;
    std::int32_t function = 0;   // FileFacts::functions; 0: none
    std::uint32_t line = 0;
    std::string symbol;
    Span span;
  };
  struct Known {
    RegistrationKind kind = RegistrationKind::Operator;
    std::uint32_t line = 0;
    std::string name, key, symbol;
    std::vector<std::uint64_t> names;
  };
  struct File {
    std::string path;
    std::vector<std::string> includes;
    std::vector<Function> functions;
    std::vector<Launch> launches;
    std::vector<Known> known;
    std::vector<std::vector<std::uint64_t>> linked;
    std::vector<Module> modules;
    std::vector<std::uint32_t> visible;  // files that it includes, however deep, and itself
    std::vector<std::uint32_t> line_starts;
    std::map<std::uint32_t, ClangFunction> clang_functions;  // by the byte of the name
    std::map<std::pair<std::uint32_t, ClangPlace>, ClangLaunch> clang_launches;  // by where it is written and used
    std::map<std::uint32_t, std::string> clang_members;
  };
  struct Where {
    std::uint32_t file = 0, function = 0;
  };

  static std::uint64_t key_of(std::uint32_t file, std::uint32_t function) { return (static_cast<std::uint64_t>(file) << 32) | function; }
  void find_visible();
  std::uint32_t resolve_include(std::uint32_t from, std::string_view header) const;
  std::vector<Where> resolve(std::uint32_t file, std::uint64_t name, bool device) const;
  void reach_features(std::uint32_t file, const Function& function, NativeKernel& kernel) const;
  std::vector<Where> called(std::uint32_t file, const Function& function) const;
  std::optional<Where> function_at(ClangPlace place) const;
  void join_clang();
  void place_clang_launches(const std::unordered_map<std::uint64_t, std::uint32_t>& numbers);
  bool places_by_clang(std::uint32_t file, const Launch& launch) const;
  void place_launches();
  void follow_entries();
  void reach(std::uint32_t file, const std::vector<std::uint64_t>& names, NativeEntry& entry) const;

  std::vector<File> files_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> by_name_;   // file name -> files
  std::unordered_map<std::uint64_t, std::vector<Where>> functions_;            // by hash of the name
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> linked_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> launched_;     // (file, function) -> kernels
  std::map<std::pair<std::string_view, std::uint32_t>, std::vector<std::uint32_t>> launched_at_;  // (path, line) -> kernels
  std::vector<NativeKernel> kernels_;
  std::vector<NativeEntry> entries_;
  std::vector<Module> modules_;
  std::vector<std::pair<std::uint32_t, Caller>> callers_;  // entry, caller
};

}  // namespace torchport
