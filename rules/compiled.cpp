#include "rules/compiled.h"

#include <cstring>
#include <type_traits>

namespace torchport {
namespace {

class Writer {
 public:
  template <typename T>
  void number(T& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string& value) {
    auto size = static_cast<std::uint32_t>(value.size());
    number(size);
    out += value;
  }
  template <typename T>
  std::uint32_t size_of(std::vector<T>& list) {
    auto size = static_cast<std::uint32_t>(list.size());
    number(size);
    return size;
  }
  std::string out;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  template <typename T>
  void number(T& value) {
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
  }
  void text(std::string& value) {
    std::uint32_t size = 0;
    number(size);
    value.assign(left_.substr(0, size));
    left_.remove_prefix(size);
  }
  template <typename T>
  std::uint32_t size_of(std::vector<T>& list) {
    std::uint32_t size = 0;
    number(size);
    list.resize(size);
    return size;
  }

 private:
  std::string_view left_;
};

// One description of the fields serves both directions.
template <typename A, typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
void pass(A& a, T& value) {
  a.number(value);
}
template <typename A>
void pass(A& a, std::string& value) {
  a.text(value);
}
template <typename A, typename T>
void pass(A& a, std::vector<T>& list);

template <typename A, typename... T>
void all(A& a, T&... fields) {
  (pass(a, fields), ...);
}
template <typename A>
void pass(A& a, ArgMatch& m) {
  all(a, m.position, m.keyword, m.glob, m.absent);
}
template <typename A>
void pass(A& a, Match& m) {
  all(a, m.kinds, m.symbols, m.places, m.place_names, m.args);
}
template <typename A>
void pass(A& a, FixTemplate& f) {
  all(a, f.text, f.when, f.argument, f.otherwise, f.safety, f.message, f.since, f.guarded);
}
template <typename A>
void pass(A& a, Example& e) {
  all(a, e.before, e.after, e.keep, e.run, e.no_fix, e.also, e.min_torch, e.line);
}
template <typename A>
void pass(A& a, Impacts& impacts) {
  for (Impact& impact : impacts) pass(a, impact);
}
template <typename A>
void pass(A& a, Rule& r) {
  all(a, r.id, r.name, r.family, r.message, r.why, r.advice, r.check, r.file, r.line, r.matches, r.impact, r.guarded, r.effort, r.fixes, r.examples);
}
template <typename A>
void pass(A& a, DevicePlace& p) {
  all(a, p.symbol, p.position, p.keyword);
}
template <typename A, typename First, typename Second>
void pass(A& a, std::pair<First, Second>& p) {
  all(a, p.first, p.second);
}
template <typename A>
void pass(A& a, NativeWord& w) {
  all(a, w.word, w.feature, w.mention, w.namespaces);
}
template <typename A>
void pass(A& a, LaunchCall& c) {
  all(a, c.name, c.kernel, c.grid, c.block, c.shared, c.stream);
}
template <typename A>
void pass(A& a, NativeInterest& i) {
  all(a, i.words, i.code, i.ptx, i.one_index, i.other_index, i.indirect_index, i.inner_loop, i.launches, i.cuda_macros, i.rocm_macros, i.markers);
}
template <typename A>
void pass(A& a, NativeRewrite& r) {
  all(a, r.call, r.of, r.gives, r.to, r.headers, r.then, r.with, r.statement, r.since);
}
template <typename A>
void pass(A& a, NativeType& t) {
  all(a, t.name, t.kind, t.to, t.headers, t.flag, t.made);
}
template <typename A>
void pass(A& a, KernelFeature& f) {
  all(a, f.name, f.what, f.with, f.hidden, f.impact);
}
template <typename A>
void pass(A& a, KernelClassRow& r) {
  all(a, r.name, r.names, r.unless, r.all, r.any, r.none, r.why);
}
template <typename A>
void pass(A& a, KernelClass& c) {
  all(a, c.name, c.effort, c.offers);
}
template <typename A, typename T>
void pass(A& a, std::vector<T>& list) {
  a.size_of(list);
  for (T& item : list) pass(a, item);
}

template <typename A>
void pass(A& a, Catalogue& c) {
  Interest& i = c.interest;
  all(a, c.rules, i.roots, i.methods, i.tensor_methods, i.words, i.places, i.markers, i.native);
  all(a, c.kernels.features, c.kernels.classes, c.kernels.rows, c.extension_names, c.native_rewrites, c.native_types, c.native_flags, c.native_takers, c.native_plain, c.native_checks);
}

}  // namespace

std::string compile_catalogue(const Catalogue& catalogue) {
  Catalogue copy = catalogue;
  Writer writer;
  pass(writer, copy);
  return writer.out;
}

Catalogue read_compiled(std::string_view bytes) {
  Catalogue catalogue;
  Reader reader(bytes);
  pass(reader, catalogue);
  catalogue.index();
  return catalogue;
}

}  // namespace torchport
