#!/usr/bin/env bash
#
# Fails when GitHub sent the runner of this job a secret that only other jobs name. The worker writes
# the job's message to its diagnostic log, each secret by its name, the value masked.
# Usage: no-secrets.sh NAME...
set -euo pipefail

fail() {
  echo "::error title=Secrets on a machine::$1"
  exit 1
}

# The folder of the program that runs this step: its worker is an ancestor of this script.
runner_folder() {
  local pid=$$ program
  while ((pid > 1)); do
    program=$(readlink "/proc/$pid/exe")
    if [[ ${program##*/} == Runner.Worker ]]; then
      echo "${program%/*/*}"
      return
    fi
    pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status")
  done
  return 1
}

main() {
  local folder log name
  (($# > 0)) || fail 'no name was given to look for.'
  folder=$(runner_folder) || fail 'no ancestor of this step is the worker: nothing was judged.'
  # Names have the time in them, so the last one is this job's.
  log=$(find "$folder/_diag" -name 'Worker_*.log' | sort | tail -n 1)
  # This one is in every job's message: without it the log has another form than this script knows.
  grep -qiF '"system.github.token"' "${log:-/dev/null}" || fail 'the log has no message of the job: nothing was judged.'
  for name; do
    if grep -qiF "\"$name\"" "$log"; then fail "$name reached this job, which does not name it."; fi
  done
  echo "ok: none of $* reached this job"
}

main "$@"
