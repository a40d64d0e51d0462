#!/usr/bin/env bash
#
# For jit.sh and lose.sh: GitHub's runner program as a process of this machine.
# Needs gh, and a GH_TOKEN that may register runners.

repo=$GITHUB_REPOSITORY
folder=$(mktemp -d)
runner=
listener=

# Ends the runner and its job at once: the group, and whatever of its folder has left the group.
kill_listener() {
  local file pids
  [[ -z $listener ]] || kill -KILL -- "-$listener" 2>/dev/null || true
  listener=
  pids=$(grep -slF "$folder/" /proc/[0-9]*/cmdline || true)
  for file in $pids; do
    file=${file#/proc/}
    kill -KILL "${file%/cmdline}" 2>/dev/null || true
  done
}

# Ends the runner, and takes it and its files away.
end_runner() {
  kill_listener
  [[ -z $runner ]] || gh api --method DELETE "repos/$repo/actions/runners/$runner" >/dev/null 2>&1 || true
  rm -rf "$folder"
}

get_program() {
  local url sum
  read -r url sum < <(gh api "repos/$repo/actions/runners/downloads" --jq '.[] | select(.os == "linux" and .architecture == "x64") | .download_url + " " + .sha256_checksum')
  curl -fsSL -o "$folder/runner.tar.gz" "$url"
  sha256sum --check --quiet <<<"$sum  $folder/runner.tar.gz"
  tar -xzf "$folder/runner.tar.gz" -C "$folder"
}

# Registers a single-use runner; its name is its label, too.
register() {
  gh api --method POST "repos/$repo/actions/runners/generate-jitconfig" \
    -f "name=$1" -F runner_group_id=1 -f "labels[]=$1" --jq '(.runner.id | tostring) + " " + .encoded_jit_config' >"$folder/registered"
  read -r runner _ <"$folder/registered"
}

# A process group of its own, and nothing of the variables of the job that starts it.
listen() {
  setsid env -i "HOME=$HOME" "PATH=$PATH" RUNNER_ALLOW_RUNASROOT=1 \
    "$folder/run.sh" --jitconfig "$(cut -d ' ' -f 2 "$folder/registered")" >"$folder/log" 2>&1 &
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
