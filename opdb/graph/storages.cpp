#include "opdb/graph/storages.h"

#include <cstdint>
#include <unordered_map>

namespace torchport {
namespace {

// The opcodes that torch's pickler writes; protocol 2.
class Walk {
 public:
  Walk(std::string_view bytes, Storages& out) : rest_(bytes), out_(out) {}

  bool run() {
    while (!rest_.empty()) {
      const char op = rest_.front();
      rest_.remove_prefix(1);
      if (op == '.') return true;
      if (!step(op)) return false;
    }
    return false;
  }

 private:
  bool step(char op) {
    switch (op) {
      case 'c':
        return take_global();
      case 'X':
        return take(last_string_, number(4));
      case 'q':
        memo_[number(1)] = {last_string_, last_global_, is_global_};
        return true;
      case 'r':
        memo_[number(4)] = {last_string_, last_global_, is_global_};
        return true;
      case 'h':
        return recall(number(1));
      case 'j':
        return recall(number(4));
      case 'Q':
        take_storage();
        return true;
      case '\x80':
      case 'K':
        return skip(1);
      case 'M':
        return skip(2);
      case 'J':
        return skip(4);
      case 'G':
        return skip(8);
      case '\x8a':
        return skip(number(1));
      default:
        return std::string_view("(}])0uaesbtR\x81\x85\x86\x87\x88\x89N\x8f").find(op) != std::string_view::npos;
    }
  }

  std::uint64_t number(std::uint64_t size) {
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < size && i < rest_.size(); ++i)
      value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    short_ = short_ || size > rest_.size();
    rest_.remove_prefix(std::min<std::uint64_t>(size, rest_.size()));
    return value;
  }
  bool skip(std::uint64_t size) {
    if (short_ || size > rest_.size()) return false;
    rest_.remove_prefix(size);
    return true;
  }
  bool take(std::string_view& into, std::uint64_t size) {
    if (short_ || size > rest_.size()) return false;
    into = rest_.substr(0, size);
    is_global_ = false;
    return skip(size);
  }
  bool take_global() {
    const std::size_t module = rest_.find('\n');
    const std::size_t end = module == std::string_view::npos ? module : rest_.find('\n', module + 1);
    if (end == std::string_view::npos) return false;
    last_global_ = rest_.substr(0, end);
    is_global_ = true;
    if (out_.root.empty()) {
      out_.root = last_global_;
      out_.root[module] = '.';
    }
    return skip(end + 1);
  }
  bool recall(std::uint64_t at) {
    const auto it = memo_.find(at);
    if (it == memo_.end()) return !short_;  // a list or another thing that was put there by an opcode we pass over
    (it->second.is_global ? last_global_ : last_string_) = it->second.is_global ? it->second.global : it->second.text;
    return true;
  }
  // ("storage", torch.FloatStorage, key, device, size): the device is the last string.
  void take_storage() {
    ++out_.devices[std::string(last_string_)];
    const std::size_t name = last_global_.find('\n');
    if (name != std::string_view::npos) out_.types.emplace(last_global_.substr(name + 1));
  }

  struct Kept {
    std::string_view text, global;
    bool is_global = false;
  };
  std::string_view rest_, last_string_, last_global_;
  std::unordered_map<std::uint64_t, Kept> memo_;
  bool is_global_ = false, short_ = false;
  Storages& out_;
};

}  // namespace

bool Storages::add(std::string_view pickle) { return Walk(pickle, *this).run(); }

}  // namespace torchport
