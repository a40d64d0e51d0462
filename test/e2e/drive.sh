#!/usr/bin/env bash
#
# Starts a run of e2e-target.yml, does what its name says, and looks at the end of it.
# Needs gh and GH_TOKEN (actions: write). Usage: drive.sh cancel | force-cancel | rerun-failed |
# rerun-all | fork-guard
set -euo pipefail

what=${1:?usage: drive.sh cancel | force-cancel | rerun-failed | rerun-all | fork-guard}
# shellcheck source=test/e2e/runs.sh
source "$(dirname "${BASH_SOURCE[0]}")/runs.sh"

# A run that is ended under its GPU job.
end_under_job() {
  local id
  id=$(start "$1" long)
  echo "Run $id: $what"
  wait_for in_progress job "$id" test status
  if [[ $what == cancel ]]; then
    gh run cancel "$id" --repo "$repo"
  else
    gh api --method POST "repos/$repo/actions/runs/$id/force-cancel" >/dev/null
  fi
  wait_for completed run_status "$id"
  must_be cancelled "$(conclusion "$id")" 'the run'
  if [[ $what == cancel ]]; then
    log_says "$id" rent 'still billing: 0 instances'
  else
    # The simulated service dies with its runner here; lose.sh says what bills then.
    log_says_not "$id" rent 'still billing:'
  fi
}

rerun() {
  local id
  id=$(start "$1" fails-once)
  echo "Run $id: $what"
  wait_for completed run_status "$id"
  must_be failure "$(conclusion "$id")" 'the first attempt'
  log_says "$id" rent 'still billing: 0 instances'
  if [[ $what == rerun-failed ]]; then gh run rerun "$id" --failed --repo "$repo"; else gh run rerun "$id" --repo "$repo"; fi
  wait_for 2 attempt "$id"
  wait_for completed run_status "$id"
  must_be success "$(conclusion "$id")" 'the second attempt'
  log_says "$id" rent 'still billing: 0 instances'
}

# The end of e2e-fork.yml at the last pull request from a fork: nobody can open one from here.
fork_guard() {
  local id
  id=$(gh api "repos/$repo/actions/workflows/e2e-fork.yml/runs?event=pull_request&per_page=100" \
    --jq "first(.workflow_runs[] | select(.head_repository.full_name != \"$repo\" and .status == \"completed\")) | .id")
  [[ -n $id ]] || fail 'no pull request from a fork was ever looked at: open one from any fork, approve its run, and start this again.'
  echo "Run $id: $what"
  must_be success "$(conclusion "$id")" 'the run of the last pull request from a fork'
  must_be skipped "$(job "$id" guarded conclusion)" 'guarded'
  echo 'still billing: 0 instances: no job that rents ran'
}

main() {
  local mark="$what of ${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-0}"
  case $what in
    cancel | force-cancel) end_under_job "$mark" ;;
    rerun-failed | rerun-all) rerun "$mark" ;;
    fork-guard) fork_guard ;;
    *) fail 'what is that?' ;;
  esac
  echo "ok: $what"
}

main
