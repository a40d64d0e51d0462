#!/usr/bin/env bash
#
# Starts a run of e2e-target.yml, does what its name says, and looks at the end of it.
# Needs gh and GH_TOKEN (actions: write). Usage: drive.sh cancel | force-cancel | rerun-failed |
# rerun-all
set -euo pipefail

what=${1:?usage: drive.sh cancel | force-cancel | rerun-failed | rerun-all}
seconds=${SECONDS_BETWEEN_LOOKS:-10}
repo=$GITHUB_REPOSITORY

# To standard error, as $(…) would keep the rest; the platform reads annotations there, too.
fail() {
  echo "::error title=$what::$1" >&2
  exit 1
}

# Looks until a command says a word; at most 20 minutes by default.
wait_for() {
  local word=$1 said tries
  shift
  for ((tries = 0; tries < ${LOOKS:-120}; tries++)); do
    said=$("$@")
    [[ $said == "$word" ]] && return
    sleep "$seconds"
  done
  fail "waited for $word, and it is ${said:-nothing}: $*"
}

run_status() { gh api "repos/$repo/actions/runs/$1" --jq .status; }
conclusion() { gh api "repos/$repo/actions/runs/$1" --jq .conclusion; }
attempt() { gh api "repos/$repo/actions/runs/$1" --jq .run_attempt; }

# Fields of a job: its status, its conclusion or its id.
job() {
  gh api "repos/$repo/actions/runs/$1/jobs" --jq ".jobs[] | select(.name == \"$2\") | .$3"
}

# The mark that the target's name carries tells this run from others.
start() {
  local mark=$1 mode=$2
  gh workflow run e2e-target.yml --repo "$repo" --ref "$GITHUB_REF_NAME" -f "mark=$mark" -f "mode=$mode"
  wait_for yes has_run "$mark"
  gh api "repos/$repo/actions/workflows/e2e-target.yml/runs?event=workflow_dispatch" --jq ".workflow_runs[] | select(.display_title == \"$mark\") | .id"
}

has_run() {
  gh api "repos/$repo/actions/workflows/e2e-target.yml/runs?event=workflow_dispatch" \
    --jq "if any(.workflow_runs[]; .display_title == \"$1\") then \"yes\" else \"no\" end"
}

log_says() {
  gh api "repos/$repo/actions/jobs/$(job "$1" "$2" id)/logs" | grep -qF "$3" || fail "the log of $2 does not say: $3"
}

main() {
  local id mark="$what of ${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-0}"
  case $what in
    cancel | force-cancel) id=$(start "$mark" long) ;;
    rerun-failed | rerun-all) id=$(start "$mark" fails-once) ;;
    *) fail 'what is that?' ;;
  esac
  echo "Run $id: $what"
  case $what in
    cancel)
      wait_for in_progress job "$id" test status
      gh run cancel "$id" --repo "$repo"
      wait_for completed run_status "$id"
      [[ $(conclusion "$id") == cancelled ]] || fail "the run is $(conclusion "$id")"
      log_says "$id" rent 'still billing: 0 instances'
      ;;
    force-cancel)
      wait_for in_progress job "$id" test status
      gh api --method POST "repos/$repo/actions/runs/$id/force-cancel" >/dev/null
      wait_for completed run_status "$id"
      [[ $(conclusion "$id") == cancelled ]] || fail "the run is $(conclusion "$id")"
      # The simulated service dies with its runner: all that is known is that no post step ran.
      if gh api "repos/$repo/actions/jobs/$(job "$id" rent id)/logs" | grep -qF 'still billing:'; then fail 'a post step ran'; fi
      ;;
    rerun-*)
      wait_for completed run_status "$id"
      [[ $(conclusion "$id") == failure ]] || fail "the first attempt is $(conclusion "$id")"
      if [[ $what == rerun-failed ]]; then gh run rerun "$id" --failed --repo "$repo"; else gh run rerun "$id" --repo "$repo"; fi
      wait_for 2 attempt "$id"
      wait_for completed run_status "$id"
      [[ $(conclusion "$id") == success ]] || fail "the second attempt is $(conclusion "$id")"
      log_says "$id" rent 'still billing: 0 instances'
      ;;
  esac
  echo "ok: $what"
}

main
