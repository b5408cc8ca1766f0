#!/bin/sh
# The gate of action.yml: annotations on standard output, a page in the job's summary, SARIF where it is asked for. The settings are
# variables and never part of a command's text, so that a branch's name cannot become a command.
set -u
# shellcheck disable=SC2086  # lists of words
set -- ${TORCHPORT_PATH:-.} ${TORCHPORT_ARGUMENTS:-}
[ -z "${TORCHPORT_BASELINE:-}" ] || set -- "$@" "--baseline=$TORCHPORT_BASELINE"
[ -z "${TORCHPORT_SINCE:-}" ] || set -- "$@" "--since=$TORCHPORT_SINCE"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || torchport gate --format markdown "$@" >>"$GITHUB_STEP_SUMMARY" 2>/dev/null
[ -z "${TORCHPORT_SARIF:-}" ] || torchport gate --format sarif "--output=$TORCHPORT_SARIF" "$@" 2>/dev/null
# The last word, and the exit code, are those of the run that people see.
torchport gate --format github "$@"
