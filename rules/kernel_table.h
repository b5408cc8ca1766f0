// What is known of CUDA kernels as data: the features that their code shows, and the classes of difficulty that features and names give.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rules/rule.h"

namespace torchport {

// At most 64, as they are bits of NativeFunction::features.
struct KernelFeature {
  std::string name;                  // "warp-shuffle"
  std::string what;                  // what it is, for people
  std::vector<std::string> with;     // it counts only beside one of these
  bool hidden = false;               // serves classes only, and is not shown
  std::vector<std::pair<Target, Impact>> impact;  // what it makes of a kernel at least, beyond the rule's
};

// The first row that fits decides; a kernel that no row fits is "unknown".
struct KernelClassRow {
  std::string name;                  // of the class
  std::vector<std::string> names;    // globs over the kernel's name in small letters; empty: any
  std::vector<std::string> unless;   // globs that it must not meet
  std::vector<std::string> all, any, none;  // features
  std::string why;
};

struct KernelClass {
  std::string name;                  // "reduction"
  Effort effort = Effort::Large;
  std::vector<std::pair<std::string, std::string>> offers;  // target, or "default" -> what it has instead
};

// A call on the host and its counterpart for any accelerator. The form of `to` is told in rules/cpp/rewrites.yaml.
struct NativeRewrite {
  std::string call;                  // as Use::symbol; with `of`, the member that is called
  std::string of;                    // the kind of object of whose members it is one
  std::string gives;                 // the kind of object that it makes
  std::string to;
  std::vector<std::string> headers;  // that `to` needs
  std::string then;                  // only where this stands behind it
  std::string with;                  // ... and goes with it
  bool statement = false;            // only where its result is not looked at, or by a macro of native_checks
  std::uint32_t since = 0;           // the first torch that has what `to` writes
};

// A type of CUDA whose variables are rewritten where all that is done with them is.
struct NativeType {
  std::string name;
  std::string kind;                  // "event", "stream", "guard"
  std::string to;
  std::vector<std::string> headers;
  std::string flag;                  // an event's, where nothing else is said
  bool made = false;                 // a call makes what the variable holds
};

struct KernelTable {
  std::vector<KernelFeature> features;
  std::vector<KernelClass> classes;
  std::vector<KernelClassRow> rows;

  std::int32_t feature(std::string_view name) const;  // its bit, -1: none
};

}  // namespace torchport
