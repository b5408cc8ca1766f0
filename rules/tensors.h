// What can be said of the tensors of one file from the calls that make them: dtype, layout, whether in the host's
// memory, whether a mask. Follows values through the uses of the file; what it does not know it leaves open.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyzers/facts.h"

namespace torchport {

enum class Layout : std::uint8_t { Unknown, Dense, Coo, Compressed, Nested };

struct TensorInfo {
  std::string_view dtype;  // "torch.float64"; empty: not known
  Layout layout = Layout::Unknown;
  bool host = false;    // made in the host's memory and not moved, in a file that does name a device
  bool device = false;  // on a device that is given and is not "cpu"
  bool mask = false;    // of booleans
};

class Tensors {
 public:
  explicit Tensors(const FileFacts& facts);

  // `values`: what an argument or a receiver may be.
  TensorInfo of(const std::vector<Value>& values) const;
  // The result of the use.
  TensorInfo of_use(UseId use) const;
  // What the use works on: its receiver, else its first tensor.
  TensorInfo worked_on(const Use& use) const;
  // Whether all tensors that the use is given are known to lie in the host's memory.
  bool on_host(const Use& use) const;

  static bool is_maker(const Use& use);

 private:
  UseId made_by(Span origin) const;
  TensorInfo work_out(const Use& use) const;
  TensorInfo made(const Use& use, std::string_view where) const;
  TensorInfo moved(const Use& use) const;
  bool names_device() const;

  const FileFacts& facts_;
  bool names_device_;
  bool default_device_ = false;  // makers without device= may make anywhere
  mutable std::vector<std::optional<TensorInfo>> known_;
};

// A dtype under its usual name: "torch.float64" of torch.double; empty where the name is no dtype.
std::string_view dtype_named(std::string_view name);
// The dtype to which the call turns its tensor, by .double(), .to(dtype), dtype=; empty where it does not say.
std::string_view dtype_asked(const Use& use);
// The dtypes of a table of which one is chosen when the call runs; kAnyDtype: any, by its name.
constexpr std::string_view kAnyDtype = "torch.*";
std::vector<std::string_view> dtypes_chosen(const Use& use);
// The argument of a call of .to or .cuda or a maker that is its device; null where there is none.
const Arg* device_asked(const Use& use);
bool is_cpu(const Arg& device);
// Whether it is given **options, of which one may be a device.
bool takes_unseen(const Use& use);

}  // namespace torchport
