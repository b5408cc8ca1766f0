#include "analyzers/clang_workers.h"

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>

#include <nlohmann/json.hpp>

#include "analyzers/cpp/words.h"

extern char** environ;

namespace torchport {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

// The slowest of a thousand real files took 0.8 s. Time of the processor, so that a busy machine changes no report; by the clock it is only the last resort.
constexpr double kMostSeconds = 5;
constexpr std::chrono::seconds kMostWaiting{60};
constexpr std::chrono::milliseconds kTick{50};
constexpr std::size_t kLongestAnswer = 64U << 20;

constexpr const char* kTooLong = "Clang took more than 5 s for it; kernels and launches are told by tokens alone";
constexpr const char* kGaveUp = "Clang gave up on it; kernels and launches are told by tokens alone";

std::vector<std::string> text_list(const json& item, const char* key) { return item.at(key).get<std::vector<std::string>>(); }

}  // namespace

// One process and the socket that is its input and output.
class ClangWorkers::Process {
 public:
  ~Process() { end(); }

  bool running() const { return pid_ > 0; }
  bool fresh() const { return answers_ == 0; }
  bool timed_out() const { return timed_out_; }

  bool start(const std::string& program, const std::string& first_line) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string name = program;
    char* arguments[] = {name.data(), nullptr};
    const int failed = ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    socket_ = ends[0];
    if (failed != 0) {
      pid_ = -1;
      end();
      return false;
    }
    answers_ = 0;
    timed_out_ = false;
    return send(first_line);
  }

  // Its answer to a request; nothing: it died or was ended.
  std::optional<std::string> ask(const std::string& request) {
    timed_out_ = false;
    if (!send(request)) return std::nullopt;
    const Clock::time_point last = Clock::now() + kMostWaiting;
    // What it needs to begin is not this file's.
    const double before = fresh() ? 0 : seconds();
    std::string answer;
    while (true) {
      pollfd wait{socket_, POLLIN, 0};
      const int ready = ::poll(&wait, 1, static_cast<int>(kTick.count()));
      if (ready < 0 && errno != EINTR) return std::nullopt;
      if (ready > 0) {
        char bytes[65536];
        const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
        if (got <= 0) return std::nullopt;
        answer.append(bytes, static_cast<std::size_t>(got));
        if (answer.back() == '\n') {
          ++answers_;
          return answer;
        }
      }
      timed_out_ = seconds() - before > kMostSeconds || Clock::now() > last;
      if (timed_out_ || answer.size() > kLongestAnswer) return std::nullopt;
    }
  }

  void end() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (socket_ >= 0) ::close(socket_);
    pid_ = socket_ = -1;
  }

 private:
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Of the processor, since it began.
  double seconds() const {
    clockid_t clock;
    timespec used{};
    if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
  }

  pid_t pid_ = -1;
  int socket_ = -1;
  std::size_t answers_ = 0;
  bool timed_out_ = false;
};

ClangWorkers::ClangWorkers(ClangSettings settings, const NativeInterest& interest) : settings_(std::move(settings)), interest_(interest) {
  json files = json::array(), words = json::array(), members = json::array();
  for (const auto& [number, path] : settings_.files) {
    numbers_.emplace(number, static_cast<std::uint32_t>(files.size()));
    files.push_back(path);
  }
  for (const NativeWord& word : interest.words) {
    if (word.word.starts_with('.')) {
      members.push_back(word.word.substr(1));
    } else if (word.feature >= 0) {
      words.push_back(word.word);
    }
  }
  const json first = {{"files", std::move(files)}, {"words", std::move(words)}, {"members", std::move(members)}, {"arguments", settings_.arguments}, {"database", settings_.database}};
  first_line_ = first.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

ClangWorkers::~ClangWorkers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    queue_.clear();
  }
  asked_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ClangWorkers::ask(std::uint32_t file) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(file);
  ++open_;
  if (threads_.size() < settings_.processes && threads_.size() < open_) threads_.emplace_back([this] { work(); });
  asked_.notify_one();
}

void ClangWorkers::wait() {
  std::unique_lock lock(mutex_);
  answered_.wait(lock, [this] { return open_ == 0; });
}

void ClangWorkers::work() {
  Process process;
  std::unique_lock lock(mutex_);
  while (true) {
    asked_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (ending_) return;
    const std::uint32_t file = queue_.front();
    queue_.pop_front();
    lock.unlock();
    ClangAnswer answer = read(process, file);
    lock.lock();
    answers_[file] = std::move(answer);
    if (--open_ == 0) answered_.notify_all();
  }
}

ClangAnswer ClangWorkers::read(Process& process, std::uint32_t file) const {
  ClangAnswer failed;
  failed.failure = kGaveUp;
  const auto number = numbers_.find(file);
  if (number == numbers_.end()) return failed;
  const std::string request = json({{"file", number->second}}).dump() + "\n";
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!process.running() && !process.start(settings_.program, first_line_)) return failed;
    const bool fresh = process.fresh();
    const std::optional<std::string> answer = process.ask(request);
    if (answer) return facts_of(*answer);
    failed.failure = process.timed_out() ? kTooLong : kGaveUp;
    const bool again = !process.timed_out() && !fresh;
    process.end();
    // A process that had read other files before may have died of them.
    if (!again) break;
  }
  return failed;
}

ClangAnswer ClangWorkers::facts_of(std::string_view line) const {
  ClangAnswer out;
  const auto file = [&](const json& number) { return settings_.files.at(number.get<std::size_t>()).first; };
  const auto place = [&](const json& at) { return ClangPlace{file(at.at(0)), at.at(1).get<std::uint32_t>()}; };
  const auto places = [&](const json& list) {
    std::vector<ClangPlace> all;
    for (const json& at : list) all.push_back(place(at));
    return all;
  };
  try {
    const json answer = json::parse(line);
    for (const json& number : answer.at("files")) out.files.push_back(file(number));
    for (const json& f : answer.at("functions")) {
      ClangFunction function{place(f.at("at")), text_list(f, "parameters"), text_list(f, "types"), text_list(f, "ptx"), text_list(f, "atomics"), places(f.at("calls")), 0,
                             f.at("shared").get<std::uint64_t>(), f.at("shared_open").get<bool>(), f.at("dynamic_shared").get<bool>()};
      for (const json& word : f.at("words")) function.features |= cpp::word_features(word.get<std::string>(), interest_);
      for (const std::string& instruction : function.ptx) function.features |= cpp::instruction_features(instruction, interest_);
      if (function.shared != 0 || function.shared_open) function.features |= cpp::word_features("__shared__", interest_);
      out.functions.push_back(std::move(function));
    }
    for (const json& l : answer.at("launches")) {
      out.launches.push_back({place(l.at("at")), place(l.at("use")), l.at("kernel").get<std::string>(), l.at("grid").get<std::string>(), l.at("block").get<std::string>(), l.at("shared").get<std::string>(),
                              l.at("stream").get<std::string>(), places(l.at("kernels")), l.at("dispatch").get<std::string>(), text_list(l, "tensors")});
    }
    for (const json& m : answer.at("members")) out.members.push_back({place(m.at("at")), m.at("type").get<std::string>()});
  } catch (const std::exception&) {
    ClangAnswer failed;
    failed.failure = kGaveUp;
    return failed;
  }
  return out;
}

}  // namespace torchport
