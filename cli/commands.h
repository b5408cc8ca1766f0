// The commands, one file each. Each returns the exit code of design.md, section 1, and throws what main turns into the
// others.
#pragma once

#include "cli/options.h"

namespace torchport {

int run_scan(Options options);
int run_fix(Options options);
int run_gate(Options options);
int run_report(Options options);
int run_init(Options options);
int run_explain(const Options& options);
int run_rules_command(const Options& options);
int run_facts(const Options& options);
int run_ops(Options options);
int run_opdb(const Options& options);

// Arguments in, exit code out; nothing is thrown.
int run_torchport(int argc, const char* const* argv);

}  // namespace torchport
