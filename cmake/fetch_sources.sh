#!/bin/sh
# Brings the pinned source archives and unpacks them: fetch_sources.sh DIR [PYTHON].
# PYTHON has pip, setuptools and wheel (pip reads an archive's metadata through them); by default the checkout's .venv, made if absent.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dest=$1
python=${2:-}
complete=yes
for name in tree_sitter-0.26.1 tree_sitter_python-0.23.6 tree_sitter_cuda-0.21.2; do [ -e "$dest/$name/.done" ] || complete=no; done
[ "$complete" = no ] || exit 0
if [ -z "$python" ] || ! "$python" -c 'import pip, setuptools, wheel' 2>/dev/null; then
  sh "$here/make_venv.sh"
  python=$here/../.venv/bin/python
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/torchport-sources.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-binary tree-sitter,tree-sitter-python,tree-sitter-cuda \
  --require-hashes -r "$here/sources.txt" -d "$tmp" </dev/null
mkdir -p "$dest"
for archive in "$tmp"/*.tar.gz; do
  "$python" -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$archive" "$tmp"
  name=$(basename "$archive" .tar.gz)
  touch "$tmp/$name/.done"
  rm -rf "${dest:?}/$name"
  mv "$tmp/$name" "$dest/$name"
done
