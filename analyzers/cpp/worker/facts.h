// What one parse of one file tells, in plain values; places are (file of the repository, byte).
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace torchport::worker {

struct At {
  std::uint32_t file = 0, byte = 0;
  friend auto operator<=>(const At&, const At&) = default;
};

// A __global__ or __device__ function with a body.
struct FunctionFact {
  At at;                               // its name
  std::vector<std::string> parameters; // "const float *x"
  std::vector<std::string> types;      // template parameters: "typename T", "int N"
  std::set<At> calls;                  // names of the functions of the repository that it calls
  std::set<std::string> words;         // of those asked for, that macros put into it
  std::set<std::string> ptx;           // instructions
  std::set<std::string> atomics;       // "atomicAdd(float)"
  std::uint64_t shared = 0;            // bytes of static shared memory
  bool shared_open = false;            // ... and more, whose size a template parameter decides
  bool dynamic_shared = false;
};

struct LaunchFact {
  At at;                               // of `<<<`, or of the name of the call that launches, where it is written: maybe in the body of a macro
  At use;                              // where that macro is used; else the same
  std::string kernel, grid, block, shared, stream;
  std::set<At> kernels;                // what it may launch
  std::string dispatch;                // the AT_DISPATCH_… around it
  std::vector<std::string> tensors;    // whose data is handed to the kernel
};

struct MemberFact {
  At at;                               // the member's name
  std::string type;                    // of what it is a member
};

struct Facts {
  std::set<std::uint32_t> files;       // that were read
  std::vector<FunctionFact> functions;
  std::vector<LaunchFact> launches;
  std::vector<MemberFact> members;
};

}  // namespace torchport::worker
