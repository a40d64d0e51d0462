#!/usr/bin/env bash
#
# Asks two things that GitHub does not document: may a runner configuration be used MINUTES after it
# was made (age), and is a listener without a job still online after MINUTES (idle).
# Needs gh and a GH_TOKEN that may register runners. Usage: jit.sh age|idle MINUTES
set -euo pipefail

what=${1:?usage: jit.sh age|idle MINUTES}
minutes=${2:?usage: jit.sh age|idle MINUTES}
repo=$GITHUB_REPOSITORY
folder=$(mktemp -d)
runner=
listener=

end() {
  [[ -z $listener ]] || kill "$listener" 2>/dev/null || true
  [[ -z $runner ]] || gh api --method DELETE "repos/$repo/actions/runners/$runner" >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap end EXIT

get_program() {
  local url sum
  read -r url sum < <(gh api "repos/$repo/actions/runners/downloads" --jq '.[] | select(.os == "linux" and .architecture == "x64") | .download_url + " " + .sha256_checksum')
  curl -fsSL -o "$folder/runner.tar.gz" "$url"
  sha256sum --check --quiet <<<"$sum  $folder/runner.tar.gz"
  tar -xzf "$folder/runner.tar.gz" -C "$folder"
}

mint() {
  local name=e2e-jit-$GITHUB_RUN_ID-$what-$minutes
  gh api --method POST "repos/$repo/actions/runners/generate-jitconfig" \
    -f "name=$name" -F runner_group_id=1 -f "labels[]=$name" --jq '(.runner.id | tostring) + " " + .encoded_jit_config' >"$folder/minted"
  read -r runner _ <"$folder/minted"
}

listen() {
  RUNNER_ALLOW_RUNASROOT=1 "$folder/run.sh" --jitconfig "$(cut -d ' ' -f 2 "$folder/minted")" >"$folder/log" 2>&1 &
  listener=$!
}

state() {
  gh api "repos/$repo/actions/runners/$runner" --jq .status 2>/dev/null || echo gone
}

# Online within two minutes?
comes_online() {
  local look
  for ((look = 0; look < 24; look++)); do
    [[ $(state) == online ]] && return
    sleep 5
  done
  return 1
}

main() {
  local past=0
  get_program
  mint
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
