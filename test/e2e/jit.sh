#!/usr/bin/env bash
#
# Asks two things that GitHub does not document: may a runner configuration be used MINUTES after it
# was made (age), and is a listener without a job still online after MINUTES (idle). Rents nothing.
# Needs gh and a GH_TOKEN that may register runners. Usage: jit.sh age|idle MINUTES
set -euo pipefail

what=${1:?usage: jit.sh age|idle MINUTES}
minutes=${2:?usage: jit.sh age|idle MINUTES}
# shellcheck source=test/e2e/runner.sh
source "$(dirname "${BASH_SOURCE[0]}")/runner.sh"
trap end_runner EXIT

main() {
  local past=0
  get_program
  register "e2e-jit-$GITHUB_RUN_ID-$what-$minutes"
  case $what in
    age)
      sleep $((minutes * 60))
      listen
      comes_online || { echo "::warning title=jit age::a configuration of $minutes min could not be used"; tail -n 20 "$folder/log"; exit 1; }
      echo "ok: a configuration of $minutes min was used"
      ;;
    idle)
      listen
      comes_online || { echo "::error title=jit idle::the listener never came online"; tail -n 20 "$folder/log"; exit 1; }
      for ((past = 0; past < minutes * 2; past++)); do
        sleep 30
        [[ $(state) == online ]] || { echo "::warning title=jit idle::the listener was $(state) after $((past / 2)) min"; tail -n 20 "$folder/log"; exit 1; }
      done
      echo "ok: a listener without a job was online for $minutes min"
      ;;
    *) echo "::error::$what: age or idle"; exit 2 ;;
  esac
}

main
