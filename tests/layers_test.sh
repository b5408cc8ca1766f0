#!/bin/sh
# The parts include only what stands before them: analyzers <- opdb <- rules <- rewriter, reports <- cli <- tests.
# And each outside library has one home.
set -eu
cd "$(dirname "$0")/.."
failed=0

# may PART ALLOWED: PART includes headers of no other part than ALLOWED (an extended regular expression).
may() {
  [ -d "$1" ] || return 0
  bad=$(grep -rnE --include='*.h' --include='*.cpp' '^[[:space:]]*#[[:space:]]*include[[:space:]]+"(analyzers|opdb|rules|rewriter|reports|cli|tests)/' "$1" |
    grep -vE "include[[:space:]]+\"($2)/" || true)
  [ -z "$bad" ] || { echo "$1 may include only $2:"; echo "$bad"; failed=1; }
}

# home PATTERN FOLDERS...: an include matching PATTERN stands nowhere outside FOLDERS.
home() {
  pattern=$1
  shift
  homes=$(printf '|^%s/' "$@" | cut -c2-)
  bad=$(grep -rnE --include='*.h' --include='*.cpp' "^[[:space:]]*#[[:space:]]*include[[:space:]]+[<\"]$pattern" analyzers opdb rules rewriter reports cli 2>/dev/null |
    grep -vE "$homes" || true)
  [ -z "$bad" ] || { echo "$pattern has its home in $*:"; echo "$bad"; failed=1; }
}

may analyzers 'analyzers'
may opdb 'analyzers|opdb'
may rules 'analyzers|opdb|rules'
may rewriter 'analyzers|opdb|rules|rewriter'
may reports 'analyzers|opdb|rules|reports'
may cli 'analyzers|opdb|rules|rewriter|reports|cli'
home 'tree_sitter/' analyzers
home '(clang|llvm)/' analyzers/cpp/worker
home '(torch|ATen|c10|caffe2)/' opdb/probe opdb/graph opdb/simulator
home 'yaml-cpp/' rules cli
home 'CLI/' cli
home 'kainjow/' reports
home 'gtest/' tests
[ "$failed" = 0 ] && echo "the parts keep their order"
