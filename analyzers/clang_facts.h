// What torchport-clang says of a file, in plain values. Files are numbers of the run's files; places are bytes in them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace torchport {

struct ClangPlace {
  std::uint32_t file = 0, byte = 0;
  friend auto operator<=>(const ClangPlace&, const ClangPlace&) = default;
};

// A __global__ or __device__ function with a body.
struct ClangFunction {
  ClangPlace at;                        // its name, where it is written
  std::vector<std::string> parameters;  // "const float *x"
  std::vector<std::string> types;       // template parameters: "typename T", "int N"
  std::vector<std::string> ptx;         // instructions of inline assembly
  std::vector<std::string> atomics;     // "atomicAdd(float)"
  std::vector<ClangPlace> calls;        // names of the functions that it calls
  std::uint64_t features = 0;           // beyond those of its tokens: see NativeFunction::features
  std::uint64_t shared = 0;             // bytes of static shared memory
  bool shared_open = false;             // ... and more, whose size a template parameter decides
  bool dynamic_shared = false;
};

struct ClangLaunch {
  ClangPlace at;                        // of `<<<` or of the call's name, where it is written: maybe in the body of a macro
  ClangPlace use;                       // where that macro is used; else the same
  std::string kernel, grid, block, shared, stream;
  std::vector<ClangPlace> kernels;      // names of the kernels that it may launch
  std::string dispatch;                 // the AT_DISPATCH_… around it
  std::vector<std::string> tensors;     // whose data it hands to the kernel
};

struct ClangMember {
  ClangPlace at;                        // the member's name
  std::string type;                     // of what it is a member of: "at::Tensor"
};

struct ClangAnswer {
  std::string failure;                  // why there is no more; empty: it was read to its end
  std::vector<std::uint32_t> files;     // that were read, itself and what it includes
  std::vector<ClangFunction> functions;
  std::vector<ClangLaunch> launches;
  std::vector<ClangMember> members;
};

}  // namespace torchport
