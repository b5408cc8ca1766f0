// What a rule has to say about one place, and how to mend it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzers/facts.h"
#include "rules/rule.h"

namespace torchport {

struct Edit {
  Span span;           // empty: an insertion
  std::string text;
  friend bool operator==(const Edit&, const Edit&) = default;
  friend auto operator<=>(const Edit&, const Edit&) = default;
};

// Sorts by place and drops what stands twice; of two insertions at one place whole lines come first.
void tidy(std::vector<Edit>& edits);

// All or nothing. Edits are sorted, do not overlap, and include the import or definition that the new text needs; two fixes may hold the
// same edit, which is then made once.
struct Fix {
  Applicability applicability = Applicability::Manual;
  std::string message;
  std::vector<Edit> edits;   // empty: Manual, the message says what to do
};

struct Related {
  std::uint32_t file = 0;    // index into the run's files
  Span span;
  std::string message;
};

// What would hold if a string were a device, which another file decides.
struct OpenQuestion {
  std::string callee;          // the function of another module that it is given to; empty: it is the module-level constant `name`
  std::int32_t position = -1;  // -1: given by the keyword `name`
  std::string name;
  std::string message;
  Impacts impact{};
  std::optional<Fix> fix;
};

// A CUDA kernel in short; what other files say of it is filled in when all are known (see kernels.h).
struct KernelReport {
  std::uint32_t native = 0;                // index into FileFacts::natives
  std::uint32_t lines = 0;                 // of code
  bool is_template = false;
  std::string name = "unknown";            // of its class
  std::string why;                         // why it is of that class
  Effort effort = Effort::Large;           // of its class
  std::vector<std::string> features;       // in the order of the table
  struct Place {
    std::string path;
    std::uint32_t line = 0;
    std::string symbol;
  };
  std::vector<Place> launches;
  std::vector<Place> reached_from;         // operators and functions made known to torch and Python, and their calls from Python
  // Where Clang read it:
  bool clang = false;
  std::vector<std::string> parameters, types;  // types: template parameters
  std::uint64_t shared_bytes = 0;          // static shared memory of its own
  bool shared_open = false;                // ... and more, whose size a template parameter decides
  std::vector<std::string> atomics, instructions;  // also of what it calls: "atomicAdd(float)", PTX
  std::vector<std::string> beyond_tokens;  // features that no token of theirs shows: what macros put into them
};

// A launch of kernels: its operands as written, and what it launches where Clang read it.
struct LaunchReport {
  bool clang = false;                      // else: by tokens alone
  std::string grid, block, shared, stream, dispatch;
  std::vector<std::string> tensors;        // whose data it hands to the kernel
  std::vector<KernelReport::Place> kernels;
  // Of one in the body of a macro: where it is used, and with what.
  struct Use {
    KernelReport::Place place;             // symbol: the kernel as written
    std::string grid, block, shared, stream;
  };
  std::vector<Use> uses;
};

struct Finding {
  const Rule* rule = nullptr;
  std::uint32_t file = 0;
  Span span;
  std::string message;
  std::string symbol;
  Via via = Via::Import;
  bool guarded = false;
  Impacts impact{};
  std::array<std::string, kTargetCount> why;   // per target, where it differs from the rule's
  std::array<std::string, kTargetCount> evidence;  // per target, where the op database has it
  std::optional<Fix> fix;
  std::vector<Related> related;
  std::string function;                        // enclosing, "Trainer.fit"; empty at module level
  std::optional<OpenQuestion> open;            // see settle.h
  std::optional<KernelReport> kernel;
  std::optional<LaunchReport> launch;
  std::string receiver;                        // of a member: the type of what it is a member of, where Clang read it
  std::optional<std::string> suppressed;       // the reason given
  bool suppressed_outside = false;             // by the configuration; else by a comment in the source
};

}  // namespace torchport
