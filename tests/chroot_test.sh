#!/bin/sh
# The release binary is fully static: it runs in a root that holds nothing but itself and a file to scan.
set -eu
binary=${TORCHPORT_RELEASE:-build/release/torchport}
[ "$(id -u)" = 0 ] || { echo "skipped: chroot needs root"; exit 77; }
[ -x "$binary" ] || { echo "$binary is not built"; exit 1; }

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cp "$binary" "$root/torchport"
mkdir "$root/project"
printf 'import torch\nx = torch.ones(1).cuda()\n' >"$root/project/train.py"

chroot "$root" /torchport --version
out=$(chroot "$root" /torchport scan --format json /project)
case $out in
  *'"path": "train.py"'* | *'"path":"train.py"'*) ;;
  *) echo "no finding in train.py: $out"; exit 1 ;;
esac
chroot "$root" /torchport fix --unsafe /project >/dev/null
if grep -q 'cuda()' "$root/project/train.py"; then
  echo "fix left .cuda() in train.py:"; cat "$root/project/train.py"; exit 1
fi
worker=$(dirname "$binary")/torchport-clang
if [ -x "$worker" ]; then
  cp "$worker" "$root/torchport-clang"
  printf '__global__ void k() {}\n' >"$root/project/k.cu"
  out=$(TORCHPORT_CLANG_WORKER=/torchport-clang chroot "$root" /torchport scan --format json /project)
  case $out in
    *'"source": "ast"'* | *'"source":"ast"'*) ;;
    *) echo "torchport-clang did not run: $out"; exit 1 ;;
  esac
fi
echo "scan and fix ran in an empty root"
