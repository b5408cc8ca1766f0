// What rules get to see of a file: its uses, the guards around them and the device handles in reach, with byte spans and no syntax tree.
// README.md beside this file defines the words. All string_views point into the SourceFile or into FileFacts::names and live as long as both.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/source.h"

namespace torchport {

// How a use's name was resolved, surest first.
enum class Via : std::uint8_t { Import, Alias, Value, Type, Text };

enum class ValueKind : std::uint8_t { Unknown, None, Bool, Int, Float, String, Name, Instance };

// One thing that an expression may be. An argument carries all that are known; "no value" means unknown, never absent.
struct Value {
  ValueKind kind = ValueKind::Unknown;
  // String: its contents; Int, Float, Bool: as written; Name: dotted global name; Instance: dotted name of its type ("torch.Tensor").
  std::string_view text;
  // String: `text` is no more than the constant beginning ("cuda:" of f"cuda:{rank}"). Name: a dtype, one of several in a table, and which of them
  // is decided when it runs; "torch.*" where its name is.
  bool partial = false;
  // Where the constant or the call stands that made this value.
  Span origin;
};

struct Arg {
  std::string_view keyword;  // empty: positional
  std::uint32_t position = 0;  // of positional ones, from 0
  Span span;                 // the value expression
  Span whole;                // with its keyword
  bool splat = false;        // *args or **kwargs: what follows is not known
  bool options = false;      // ... **kwargs
  std::vector<Value> values;
};

enum class UseKind : std::uint8_t {
  Import,      // symbol: what is imported; bound as Use::bound
  Reference,   // symbol read, not called
  Call,        // symbol called; methods on a value of known type are "torch.Tensor.to", of unknown type "*.to"
  Assign,      // symbol = value; the value is args[0]
  Literal,     // a string constant that names a device or the like; symbol: its contents
  Choice,      // "cuda" if torch.cuda.is_available() else "cpu", whole, maybe inside torch.device(...); symbol: the device string
  Kernel,      // a function under a kernel decorator (triton.jit); symbol: the decorator
  UncalledGuard,  // torch.cuda.is_available used as a condition without being called
  // C++ and CUDA, where a name is known by its spelling alone and stands for itself also in a macro's body or a branch not taken:
  Mention,     // a name that some rule looks for: "cudaMalloc", "thrust::sort"
  Include,     // symbol: the header as written
  Launch,      // symbol: the kernel, or the call that launches it; args "kernel", "grid", "block", "shared", "stream"
  NativeKernel,  // symbol: the name of a __global__ function; see FileFacts::natives
  Registration,  // symbol: the operator or module made known to torch or Python; see FileFacts::registrations
  Operator,    // x + y, -x, x > y, x += y where an operand is proven a tensor; symbol: "torch.Tensor.__add__"; args: the operands
  Index,       // x[…] where x or an index is proven a tensor; symbol: "torch.Tensor.__getitem__" or "…__setitem__"; args: the indices, then
               // `value=`. Where only the index reads like a mask (x[x > 0], x[mask]): "*.__getitem__"
};

// Where a Literal stands or goes.
enum class Place : std::uint8_t {
  None,        // nothing known of it
  DeviceArgument,  // given as a device: .to("cuda"), device="cuda", torch.device("cuda"), directly or through names
  Argument,    // given to some call or keyword; `place_name` is the keyword or the callee
  Comparison,  // compared with ==, !=, in, not in; `place_name` is what it is compared with, as written
  Default,     // default of the parameter `place_name`
  OptionDefault,  // default of the command-line option `place_name`
  OptionChoice,   // among the choices of an option
  DeviceChoice,   // beside other devices in a list or in a Literal type: ["cpu", "cuda"]
  DictKey,
  DictValue,   // `place_name` is the key
  Assigned,    // to the name or attribute `place_name`
  Returned,    // by the function `place_name`
  Subscript,   // x["cuda"]
  Listed,      // in a list, set or tuple
  Environment, // os.environ[...]
  Annotation,
};

using UseId = std::int32_t;
using GuardId = std::int32_t;
constexpr std::int32_t kNone = -1;

enum class GuardKind : std::uint8_t {
  Available,   // torch.<device>.is_available(); device "accelerator" for the generic call
  DeviceType,  // x.type == "<device>", str(device) == "…", x.is_cuda
  Flag,        // a name or option that says so: use_cuda, args.cuda
  Import,      // try: import … except ImportError; is_xformers_available(), HAS_TRITON
  Exists,      // hasattr(torch, "<device>")
  Version,     // a question about torch's version
  Build,       // #if: what it guards is compiled for `device` only ("cuda", "rocm"), or for all but it
  Caught,      // a probe: a short try whose handler goes on otherwise when something raises
};

// What happens where the guarded code does not run.
enum class Otherwise : std::uint8_t { Nothing, OtherPath, Raises, Skips };

struct Guard {
  GuardId outer = kNone;
  GuardKind kind = GuardKind::Available;
  std::string_view device;  // "cuda", "mps", … or "accelerator"; the module for Import
  bool holds = true;        // runs where the condition is true; false: where it is false
  Otherwise otherwise = Otherwise::Nothing;
  Span condition;
  Span body;                // what it guards
  // The other device types for which the same chain of conditions has an arm, in the order of writing; "accelerator" where one arm is generic.
  std::vector<std::string_view> others;
};

// How an expression stands, so that a fix knows which form it may take.
struct Form {
  bool statement = false;     // it is a whole expression statement
  bool own_lines = false;     // ... that shares its lines with no other statement
  bool operand = false;       // a conditional or `or` expression put here needs parentheses
  bool tight = false;         // ... and so does a comparison
  bool in_string = false;     // inside an f-string
  bool fixed = false;         // annotation, del target: nothing else may stand here
  bool decorator = false;     // (part of) a decorator: a call may stand for a name
  bool ambiguous = false;     // its name may stand for something else as well
  bool negated = false;       // it is what a `not` stands before
  bool condition = false;     // it is (part of) the condition of an if, while, assert or conditional expression
};

struct Use {
  UseKind kind = UseKind::Reference;
  Via via = Via::Import;
  bool partial = false;       // Literal: see Value::partial
  Place place = Place::None;
  Form form;
  std::string_view symbol;
  std::string_view place_name;
  std::string_view place_callee;  // Literal, Argument: the dotted name of the function of another module that it is given to; Mention: the last part of
                              // the name of what it is given to, whole
  std::int32_t place_position = -1;  // ... its position there, -1: by keyword
  std::string_view bound;     // Import: the name bound in the file
  Span span;                  // the whole expression; Import: the alias (`autocast as ac`) or the module
  Span callee;                // the name or attribute chain that was resolved
  Span receiver;              // what stands before the last dot of the callee; empty for plain names
  Span statement;             // the simple statement around it, without its line end
  GuardId guard = kNone;      // innermost
  UseId import = kNone;       // the Import use through which the name was resolved
  UseId part_of = kNone;      // the Choice, or the call whose device argument it is, that reports it
  std::int32_t scope = 0;     // see FileFacts::functions
  std::vector<Arg> args;
  std::vector<Value> on;      // of a method: what it may be called on
  std::vector<Span> flows;    // Literal: the places to which it goes through names
};

struct Function {
  std::string_view name;      // "Trainer.fit"; empty for the module
  Span span;
  bool is_class = false;
  std::int32_t outer = kNone;
};

enum class HandleKind : std::uint8_t { Local, Parameter, Attribute, Option, Constant, Helper };
enum class HandleType : std::uint8_t { Unknown, Device, String, Index };

// A name of the project's own by which a device can be written: `device`, `self.device`, `args.device`, `get_device()`.
struct Handle {
  std::string_view text;
  HandleKind kind = HandleKind::Local;
  HandleType type = HandleType::Unknown;
  bool chosen = false;        // proven: the accelerator where there is one, else the CPU
  Span reach;                 // where it may be written
  Span definition;            // the statement that makes it
  std::vector<Span> hidden;   // within reach: scopes in which the name is something else
};

// An import statement whole, so that a fix can drop or rename one of its names.
struct ImportStatement {
  Span span;                  // without the line end
  std::string_view module;    // `from module import …`; empty for plain imports
  Span module_span;
  std::vector<UseId> names;
  bool alone_in_block = false;  // the only statement of its block: dropping it would break the file
};

struct Allow {
  Span span;                  // the comment
  std::uint32_t first_line = 0, last_line = 0;  // of the lines it holds for
  std::vector<std::string_view> rules;
  std::string_view why;
  bool known_form = true;
};

// A name for the module torch that is not bound by the leading imports: within a function, a try, an if, or further down.
struct TorchImport {
  std::string_view name;
  Span reach;                 // where it is bound for certain
  bool module_level = false;  // functions that are written before it may use it as well
  bool optional = false;      // under a condition, in a try, or in a function: the file may be used without torch
};

// Where new lines go and which names are taken.
struct Prelude {
  std::uint32_t after_imports = 0;   // offset of a line start after the leading imports, docstring and __future__ lines
  std::string_view torch;            // the name by which the module torch is bound there; empty: it is not
  std::vector<TorchImport> torch_elsewhere;
  std::uint32_t first_import = 0;    // offset of the line start of the first import that is not of __future__; else after_imports
  bool conditional_torch = false;    // C++: headers of torch are included, all under a condition: a line at the top would be without it
  bool devices_come_later = false;   // CUDA_VISIBLE_DEVICES is set or processes are forked: no line at the top may ask for a device
};

// Where a C++ function runs.
enum class Side : std::uint8_t { Host, Device, Kernel };

// A C++ function with a body, or the declaration of a kernel.
struct NativeFunction {
  std::string_view name;      // unqualified, as written
  Side side = Side::Host;
  bool defined = true;        // false: declared only
  bool in_macro = false;      // it stands in the body of a #define
  Span span;                  // from its first token (a kernel: its __global__) to the end of its body
  Span head;                  // up to the body
  Span parameters;            // between the brackets
  Span bounds;                // of __launch_bounds__, between the brackets
  bool is_template = false;
  std::uint32_t lines = 0;    // that hold a token
  std::uint64_t features = 0; // of its own body: bits by Interest::features
  std::vector<std::uint64_t> names;  // hashes (hash_of) of the names that its body holds; sorted
  std::vector<std::uint64_t> calls;  // hashes of what it calls by name, and with a '.' before it of members; sorted; of the host only
  UseId use = kNone;          // kernels: the NativeKernel use
  std::int32_t function = 0;  // see FileFacts::functions
};

// A place where a C++ function writes one of its variables.
struct NativeSite {
  Span span;                  // the name
  Span whole;                 // with the member that is taken of it, and its call
  std::string_view member;    // x.member, x->member; empty: none
  bool called = false;        // x.member(…)
  std::vector<Span> args;     // of that call
  std::string_view callee;    // of the call whose argument `whole` is, all of it: the last part of its name; empty: it is none's
};

// A variable of a C++ function by the way it is declared.
struct NativeVariable {
  std::string_view name;
  std::int32_t function = 0;  // see FileFacts::functions
  bool parameter = false;
  bool twice = false;         // the function declares the name again elsewhere: whose the sites are is not known, and none is given
  Span type;                  // as written, "const at::Tensor&"; the same for all that one statement declares
  Span declarator;            // the name and what gives it its first value
  Span initial;               // that value: behind `=`, or between the brackets; empty: none
  char form = 0;              // how it is given: '=', '(', '{', '['; 0: not
  std::vector<NativeSite> sites;  // in order, without the declaration
};

enum class RegistrationKind : std::uint8_t { Operator, Method, Module };

// An operator or a function that C++ makes known to torch or Python.
struct Registration {
  RegistrationKind kind = RegistrationKind::Operator;
  std::string_view space;     // the namespace of TORCH_LIBRARY; the module of PYBIND11_MODULE
  std::string_view name;      // without overload and schema
  std::string_view schema;    // as written; empty: none
  std::string_view key;       // the dispatch key of TORCH_LIBRARY_IMPL; empty: none given
  std::string_view function;  // the C++ function, unqualified; empty: none named (a lambda, a def of a schema alone)
  std::vector<std::uint64_t> names;  // hashes of the names in what is registered: the function's, those in the body of a lambda
  Span span;
};

enum class Language : std::uint8_t { None, Python, Cpp };

enum class Status : std::uint8_t { Full, Partial, Failed, Skipped };

// What other files need to know of this one: its functions that hand an argument on as a device.
struct ExportedParameter {
  std::string function;       // "place", "Trainer.place"; a class stands for its __init__
  std::string name;
  std::int32_t position = 0;  // self not counted
};
// A parameter that is handed to a function of another module; it is a device if that one's is.
struct ForwardedParameter {
  ExportedParameter parameter;
  std::string callee;         // dotted, as imported: "utils.place", ".utils.place"
  std::int32_t position = -1; // where it is handed on, -1: by keyword
  std::string keyword;
};

struct FileFacts {
  Language language = Language::None;
  Status status = Status::Skipped;
  std::string status_why;            // empty when Full or Skipped
  Span status_span;
  std::vector<Use> uses;             // ordered by span.start, then kind
  std::vector<Guard> guards;
  std::vector<Function> functions;   // [0] is the module
  std::vector<Handle> handles;
  std::vector<ImportStatement> imports;
  std::vector<Allow> allows;
  Prelude prelude;
  std::vector<ExportedParameter> device_parameters;
  std::vector<ForwardedParameter> forwarded;
  std::vector<std::string> device_imports;   // dotted names of other modules that are given as devices here
  std::uint32_t maybe_tensor_calls = 0;       // calls of tensor methods on values that only may be tensors
  std::vector<std::string_view> identifiers;  // sorted: every name that occurs
  std::vector<NativeFunction> natives;       // C++: by span
  std::vector<NativeVariable> variables;      // of host functions that hold a Mention
  std::vector<Registration> registrations;
  // C++: names that one statement outside all functions holds together, as REGISTER_IMPL(op, CUDA, op_cuda) does: the first leads to the others.
  std::vector<std::vector<std::uint64_t>> linked_names;
  std::deque<std::string> names;     // owns symbols

  bool has_identifier(std::string_view name) const;
};

// What the rules want to know; the analyzer emits no more than this needs. Sorted vectors, compared by binary search.
struct DevicePlace {
  std::string symbol;   // "torch.Tensor.to", "torch.device"; "*" any call
  std::int32_t position = -1;  // of the positional argument; -1: keyword only
  std::string keyword;
};
// A name, or a beginning of names, that says something of the C++ code that holds it.
struct NativeWord {
  std::string word;        // exact, ".data" a member of something; with a final '*' a beginning, which must end where a part of the name ends: "cuda*" is in cudaMalloc and
                           // not in cuda_ops
  std::int32_t feature = -1;  // the bit in NativeFunction::features; -1: none
  bool mention = false;    // becomes a Mention
  bool namespaces = false; // a namespace: "thrust" and the names after it are one
};
// A call that launches a kernel, and where it takes what (-1: not).
struct LaunchCall {
  std::string name;
  std::int32_t kernel = -1, grid = -1, block = -1, shared = -1, stream = -1;
};
struct NativeInterest {
  std::vector<NativeWord> words;       // sorted by word
  std::vector<std::pair<std::string, std::int32_t>> code;  // a few tokens in a row, blanks between them: "& 31"; and their feature
  std::vector<std::pair<std::string, std::int32_t>> ptx;   // beginnings of instructions in asm; and their feature
  // Features read off the structure: subscripts by one plain name only; by others; by what another subscript gives; a loop not over the grid.
  std::int32_t one_index = -1, other_index = -1, indirect_index = -1, inner_loop = -1;
  std::vector<LaunchCall> launches;
  std::vector<std::string> cuda_macros, rocm_macros;  // globs: defined where it is built for CUDA, for ROCm
  std::vector<std::string> markers;    // a file that holds none of these is not analysed
};

struct Interest {
  std::vector<std::string> roots;      // first parts of dotted names: torch, triton, flash_attn
  std::vector<std::string> common_roots;  // of these: libraries so common that their import says nothing of devices
  std::vector<std::string> methods;    // names of methods looked at when the receiver's type is unknown: cuda, to
  std::vector<std::string> tensor_methods;  // names of methods looked at where the receiver is proven a tensor
  std::vector<std::string> words;      // a string constant that holds one of these becomes a Literal
  std::vector<DevicePlace> places;     // where a device is given
  std::vector<std::string> markers;    // a file that holds none of these is not parsed
  NativeInterest native;
};

// FNV-1a over the bytes of a name.
constexpr std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

}  // namespace torchport
