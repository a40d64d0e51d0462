#!/usr/bin/env bash
# The stand-in runner is configured by a single-use configuration only.
if [[ $(id -u) -eq 0 && -z ${RUNNER_ALLOW_RUNASROOT:-} ]]; then
  echo 'Must not run with sudo'
  exit 1
fi
echo 'The stand-in runner takes ACTIONS_RUNNER_INPUT_JITCONFIG only.' >&2
exit 1
