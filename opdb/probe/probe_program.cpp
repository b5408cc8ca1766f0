// torchport-probe LIBRARY KEY: loads a backend's shared library and prints what it has registered under the dispatch
// key, a line each: operator, tab, where. A program of its own because it needs libtorch; loading a backend runs its
// code, so torchport itself never does. probe.py says the same of a backend that is a Python module.
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/DispatchKey.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <iostream>
#include <set>
#include <string>

namespace {

std::string name_of(const c10::OperatorName& op) {
  return op.overload_name.empty() ? op.name : op.name + "." + op.overload_name;
}

std::set<std::string> registered(c10::DispatchKey key) {
  std::set<std::string> names;
  for (const c10::OperatorName& op : c10::Dispatcher::singleton().getRegistrationsForDispatchKey(key)) names.insert(name_of(op));
  return names;
}

// "csrc/ops.cpp:12" of the dispatcher's "PrivateUse1: registered at csrc/ops.cpp:12 [kernel]".
std::string place_of(const c10::OperatorName& op, const std::string& key) {
  const auto handle = c10::Dispatcher::singleton().findOp(op);
  if (!handle) return "";
  const std::string table = "\n" + handle->dumpComputedTable(), begin = "\n" + key + ": registered at ";
  const std::size_t at = table.find(begin);
  if (at == std::string::npos) return "";
  const std::size_t from = at + begin.size();
  return table.substr(from, table.find_first_of(" \n", from) - from);
}

int probe(const std::string& library, const std::string& key_name) {
  const c10::DispatchKey key = c10::parseDispatchKey(key_name);
  const std::set<std::string> before = registered(key);
  // Never closed: its kernels stay registered.
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::cerr << "cannot be loaded by torch " TORCH_VERSION ": " << dlerror() << "; build it for this torch\n";
    return 2;
  }
  std::cout << "torch\t" TORCH_VERSION "\n"
            << "fallback\t" << (c10::Dispatcher::singleton().hasBackendFallbackForDispatchKey(key) ? "yes" : "no") << "\n";
  for (const c10::OperatorName& op : c10::Dispatcher::singleton().getRegistrationsForDispatchKey(key)) {
    if (!before.contains(name_of(op))) std::cout << name_of(op) << "\t" << place_of(op, key_name) << "\n";
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: torchport-probe LIBRARY KEY\n";
    return 2;
  }
  try {
    return probe(argv[1], argv[2]);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    std::cerr << "cannot be asked: " << text.substr(0, text.find('\n')) << "\n";
    return 2;
  }
}
