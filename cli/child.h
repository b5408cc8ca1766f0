// Runs another program and waits for it, without a shell. What its answer means is the caller's.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace torchport {

struct ChildResult {
  int status = -1;     // the exit code; -1: the program is missing or was killed
  int signal = 0;      // what killed it
  std::string errors;  // what it wrote to stderr
};

// `command` with `environment` ("NAME=value") and with `input` as its standard input; its output goes to `take` piece by piece as it comes.
ChildResult run_child(std::vector<std::string> command, std::vector<std::string> environment,
                      const std::function<void(std::string_view)>& take, std::string_view input = {});

}  // namespace torchport
