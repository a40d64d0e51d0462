#!/usr/bin/env bash
#
# Takes the job that rents away under a GPU job that runs, and looks at the bill. That job's runner
# is a process of this machine, so that the simulated service outlives it. Leaves one machine
# behind, for the sweep that comes next. Needs gh, GH_TOKEN (actions: write), RUNNER_TOKEN (may
# register runners), SERVICE_URL and SERVICE_KEY. Usage: lose.sh force-cancel | dead-holder
set -euo pipefail

what=${1:?usage: lose.sh force-cancel | dead-holder}
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=test/e2e/runs.sh
source "$here/runs.sh"
# shellcheck source=test/e2e/runner.sh
source "$here/runner.sh"
trap 'GH_TOKEN=$RUNNER_TOKEN end_runner' EXIT

# Counts the machines that bill. One is seen before none is, so that no strange answer is a zero.
billing() {
  local books
  books=$(curl -fsS --max-time 30 "$SERVICE_URL/_control/books") || return
  books=${books#*\"billingNow\":}
  { grep -o '"gpuPerHour"' <<<"${books%%]*}" || true; } | wc -l
}

# A machine of a run that is over, which no step and no script of its own will ever end.
leave_behind() {
  local label=ghr1.$GITHUB_REPOSITORY_ID.$1-1.e2e000.1.$(($(date +%s) + 3600))
  curl -fsS --max-time 30 -X PUT -H "Authorization: Bearer $SERVICE_KEY" -H 'Content-Type: application/json' \
    -d "{\"image\": \"debian:13\", \"disk\": 10, \"label\": \"$label\"}" "$SERVICE_URL/api/v0/asks/12/" >/dev/null
  wait_for 1 billing
}

main() {
  local id holder=e2e-$what-${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-0} ends died
  case $what in
    force-cancel) ends=cancelled ;;
    dead-holder) ends=failure ;;
    *) fail 'what is that?' ;;
  esac
  GH_TOKEN=$RUNNER_TOKEN get_program
  GH_TOKEN=$RUNNER_TOKEN register "$holder"
  listen
  id=$(start "lose: $holder" long -f "holder=$holder" -f "service-url=$SERVICE_URL" -f "service-key=$SERVICE_KEY")
  echo "Run $id: $what, on the runner $holder"
  wait_for in_progress job "$id" test status
  wait_for 1 billing
  [[ $what == dead-holder ]] || gh api --method POST "repos/$repo/actions/runs/$id/force-cancel" >/dev/null
  # A hosted runner is taken away after a force-cancel; here it dies at once.
  kill_listener
  died=$SECONDS
  wait_for completed job "$id" rent status
  echo "GitHub gave the job that rents up $((SECONDS - died)) s after its runner had died"
  wait_for completed run_status "$id"
  must_be "$ends" "$(conclusion "$id")" 'the run'
  log_says_not "$id" rent 'Nothing is rented any more.'
  wait_for 0 billing
  echo 'still billing: 0 instances: the machine gave itself back'
  leave_behind "$id"
  echo "ok: $what"
}

main
