#!/bin/sh
# Makes the checkout's .venv with the Python tools that building and testing need; does nothing when it is as requirements.txt says.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=$here/../.venv
stamp=$venv/.torchport-requirements
[ -x "$venv/bin/python" ] && cmp -s "$here/requirements.txt" "$stamp" && exit 0
[ -x "$venv/bin/python" ] && "$venv/bin/python" -m pip --version >/dev/null 2>&1 || {
  rm -rf "$venv"
  PATH=/usr/bin:$PATH python3 -m venv "$venv"
}
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r "$here/requirements.txt" </dev/null
cp "$here/requirements.txt" "$stamp"
