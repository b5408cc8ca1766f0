// torchport-clang: reads requests, one line of JSON each, and answers each with one line. Started by torchport; see analyzers/clang_workers.h for its side.
// It reads no file but those that the first line names, writes none, and dies with its parent.
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "analyzers/cpp/worker/compile_args.h"
#include "analyzers/cpp/worker/parse.h"

namespace torchport::worker {
namespace {

namespace json = llvm::json;

// Deep nesting needs stack; endless templates and macros need memory without end, and are not given it.
constexpr std::size_t kStack = 128U << 20;
constexpr rlim_t kMostMemory = 768U << 20;

json::Value of(At at) { return json::Array{at.file, at.byte}; }

template <class List>
json::Array list(const List& items) {
  json::Array out;
  for (const auto& item : items) {
    if constexpr (std::is_same_v<std::decay_t<decltype(item)>, At>) {
      out.push_back(of(item));
    } else {
      out.push_back(json::fixUTF8(item));
    }
  }
  return out;
}

json::Value of(const FunctionFact& f) {
  return json::Object{{"at", of(f.at)},         {"parameters", list(f.parameters)}, {"types", list(f.types)}, {"calls", list(f.calls)},           {"words", list(f.words)},
                      {"ptx", list(f.ptx)},     {"atomics", list(f.atomics)},       {"shared", f.shared},     {"shared_open", f.shared_open}, {"dynamic_shared", f.dynamic_shared}};
}

json::Value of(const LaunchFact& l) {
  return json::Object{{"at", of(l.at)},
                      {"use", of(l.use)},
                      {"kernel", json::fixUTF8(l.kernel)},
                      {"grid", json::fixUTF8(l.grid)},
                      {"block", json::fixUTF8(l.block)},
                      {"shared", json::fixUTF8(l.shared)},
                      {"stream", json::fixUTF8(l.stream)},
                      {"kernels", list(l.kernels)},
                      {"dispatch", l.dispatch},
                      {"tensors", list(l.tensors)}};
}

json::Value of(const Facts& facts) {
  json::Array files, functions, launches, members;
  for (const std::uint32_t file : facts.files) files.push_back(file);
  for (const FunctionFact& f : facts.functions) functions.push_back(of(f));
  for (const LaunchFact& l : facts.launches) launches.push_back(of(l));
  for (const MemberFact& m : facts.members) members.push_back(json::Object{{"at", of(m.at)}, {"type", json::fixUTF8(m.type)}});
  return json::Object{{"files", std::move(files)}, {"functions", std::move(functions)}, {"launches", std::move(launches)}, {"members", std::move(members)}};
}

std::vector<std::string> strings(const json::Object& object, llvm::StringRef key) {
  std::vector<std::string> out;
  if (const json::Array* items = object.getArray(key)) {
    for (const json::Value& item : *items) {
      if (const auto text = item.getAsString()) out.push_back(text->str());
    }
  }
  return out;
}

void answer(const json::Value& value) {
  llvm::outs() << value << "\n";
  llvm::outs().flush();
}

std::optional<json::Object> next_line() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  llvm::Expected<json::Value> value = json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  json::Object* object = value->getAsObject();
  return object == nullptr ? std::nullopt : std::optional(std::move(*object));
}

void serve() {
  const std::optional<json::Object> first = next_line();
  if (!first) return;
  Repository repository(strings(*first, "files"));
  Wanted wanted;
  for (const std::string& word : strings(*first, "words")) {
    if (word.ends_with('*')) {
      wanted.prefixes.push_back(word.substr(0, word.size() - 1));
    } else {
      wanted.words.insert(word);
    }
  }
  for (const std::string& member : strings(*first, "members")) wanted.members.insert(member);
  precompile(repository);
  const std::vector<std::string> arguments = strings(*first, "arguments");
  const std::string folder = first->getString("database").value_or("").str();
  const auto database = folder.empty() ? nullptr : database_in(folder);
  while (const std::optional<json::Object> request = next_line()) {
    const auto file = request->getInteger("file");
    if (!file || *file < 0 || static_cast<std::size_t>(*file) >= repository.size()) return;
    std::vector<std::string> all = arguments;
    if (database) {
      for (std::string& word : arguments_for(*database, repository.path(static_cast<std::uint32_t>(*file)))) all.push_back(std::move(word));
    }
    answer(of(parse(repository, static_cast<std::uint32_t>(*file), wanted, all)));
  }
}

void limit(int what, rlim_t most) {
  const rlimit value{most, most};
  setrlimit(what, &value);
}

}  // namespace
}  // namespace torchport::worker

int main(int argc, char** argv) {
  using namespace torchport::worker;
  if (argc > 1 && std::strcmp(argv[1], "--check-stubs") == 0) {
    Repository none({});
    const std::string said = precompile(none);
    std::cout << said;
    return said.empty() ? 0 : 1;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // What Clang says when it dies is nothing for people.
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
    dup2(nowhere, STDERR_FILENO);
  } else {
    close(STDERR_FILENO);
  }
  limit(RLIMIT_AS, kMostMemory);
  limit(RLIMIT_CORE, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_t thread{};
  const auto run = [](void*) -> void* {
    serve();
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, run, nullptr) != 0) return 1;
  pthread_join(thread, nullptr);
  std::fflush(nullptr);
  std::_Exit(0);
}
