#include "cli/progress.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace torchport {
namespace {

constexpr std::chrono::milliseconds kPatience{300};

void put(std::string_view text) {
  // What cannot be shown here is not missed.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Progress::Progress() : start_(std::chrono::steady_clock::now()) {
  const char* term = std::getenv("TERM");
  wanted_ = ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

Progress::~Progress() { clear(); }

void Progress::show(std::size_t done, std::size_t total) {
  if (!wanted_ || std::chrono::steady_clock::now() - start_ < kPatience) return;
  put("\r\x1b[K" + std::to_string(done) + " of " + std::to_string(total) + " files");
  shown_ = true;
}

void Progress::clear() {
  if (shown_) put("\r\x1b[K");
  shown_ = false;
}

}  // namespace torchport
