#!/usr/bin/env bash
#
# For drive.sh and lose.sh: starts runs of e2e-target.yml and looks at the end of them.
# Needs gh, GH_TOKEN (actions: write), and what, the name of the story.

: "${what:?}"
seconds=${SECONDS_BETWEEN_LOOKS:-10}
repo=$GITHUB_REPOSITORY

# To standard error, as $(…) would keep the rest; the platform reads annotations there, too.
fail() {
  echo "::error title=$what::$1" >&2
  exit 1
}

# Looks until a command says a word; at most 20 minutes by default.
wait_for() {
  local word=$1 said='' tries
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

# A field of a job: its status, its conclusion or its id.
job() {
  gh api "repos/$repo/actions/runs/$1/jobs" --jq ".jobs[] | select(.name == \"$2\") | .$3"
}

must_be() {
  [[ $2 == "$1" ]] || fail "$3 is ${2:-nothing}, and should be $1"
}

# Starts a run and says its id. The mark that its name carries tells it from others.
# Usage: start MARK MODE [-f INPUT=VALUE]…
start() {
  local mark=$1 mode=$2
  shift 2
  gh workflow run e2e-target.yml --repo "$repo" --ref "$GITHUB_REF_NAME" -f "mark=$mark" -f "mode=$mode" "$@"
  wait_for yes has_run "$mark"
  gh api "repos/$repo/actions/workflows/e2e-target.yml/runs?event=workflow_dispatch" --jq ".workflow_runs[] | select(.display_title == \"$mark\") | .id"
}

has_run() {
  gh api "repos/$repo/actions/workflows/e2e-target.yml/runs?event=workflow_dispatch" \
    --jq "if any(.workflow_runs[]; .display_title == \"$1\") then \"yes\" else \"no\" end"
}

# The log of a job; empty where there is none, as of a job whose runner died.
log_of() {
  gh api "repos/$repo/actions/jobs/$(job "$1" "$2" id)/logs" || true
}

log_says() {
  log_of "$1" "$2" | grep -qF "$3" || fail "the log of $2 does not say: $3"
}

log_says_not() {
  local log
  log=$(log_of "$1" "$2")
  [[ -n $log ]] || echo "::warning title=$what::there is no log of $2, so it does not say whether a post step ran"
  if grep -qF "$3" <<<"$log"; then fail "the log of $2 says: $3"; fi
}
