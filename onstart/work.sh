#!/usr/bin/env bash
#
# The work on a rented GPU machine, from the container's start to its last runner's end. The guard
# (bootstrap.sh) reads it in a process of its own, after runners.sh, and it uses the guard's functions.
# It never runs alone. However the work ends, the guard then gives the machine back.
#
#   variable                      from         what
#   GHR_DEADLINE                  the action   Unix time when the machine goes back, whatever runs
#   GHR_MAX_UPTIME                the action   seconds since the start: the same without a clock
#   GHR_NUM_GPUS                  the action   GPUs that were rented
#   GHR_RUNNER_URL, _SHA256       the action   the runner's tarball
#   GHR_PROBE                     the action   the user's shell that tests the machine, packed
#   GHR_SETUP, _TIMEOUT           the action   the user's shell before the runner, packed; seconds
#   GHR_REPOSITORY, GHR_RUN_ID,   the action   whose job this machine may run
#     GHR_RUN_ATTEMPT
#   GHR_FIGURES                   the action   figures.sh, packed; none: the GPUs are not reported
#   RUNNER_HOME                   the image    the folder of a runner that the image brings
#
# Files in GHR_ROOT, beside the guard's: updated (package lists) · runner.tgz · runner/ ·
# job-started.sh · accepted (when a job came), refused (a foreign one did) · probe.sh, setup.sh and
# their output, probe.log, setup.log; .late: they were cut

retry() {
  "$@" || { sleep 10 && "$@"; } || { sleep 30 && "$@"; }
}

# Notes the end of a stage, for the line with the time of each stage: NAME.
stage() {
  stages+=", $1 $((SECONDS - since)) s"
  since=$SECONDS
}

# --- the image

# The Node of GitHub's actions needs glibc 2.28. An ldd that doesn't tell its version is no reason.
require_glibc() {
  local said
  said=$(ldd --version 2>&1) || true
  [[ $said != *musl* ]] || fail "Alpine images can't run the GitHub runner: it needs glibc."
  [[ ! ${said%%$'\n'*} =~ \ 2\.([1-9][0-9]?)$ ]] || ((BASH_REMATCH[1] >= 28)) ||
    fail "The image has glibc 2.${BASH_REMATCH[1]}: GitHub's actions need 2.28 or newer."
}

# An image may have a user of its own, who may become root by sudo, or can't install.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi
}

# Works in spite of a wrong clock (lists "not valid yet"), a broken third-party repository, and
# installs that the image itself starts.
with_apt() {
  local icu
  export DEBIAN_FRONTEND=noninteractive
  [[ -e updated ]] || as_root apt-get -qq -o Acquire::Check-Date=false update
  if [[ $1 == libicu ]]; then
    icu=$(apt-cache search --names-only '^libicu[0-9]+$')
    set -- "${icu%% *}"
  fi
  as_root apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@" &&
    touch updated
}

# A yum without dnf is older than the runner's glibc; one beside it is the same program.
install() {
  local manager
  ((EUID == 0)) || has sudo || return
  if has apt-get; then
    retry with_apt "$@"
    return
  fi
  for manager in dnf microdnf; do
    has "$manager" && retry as_root "$manager" install -y "$@" && return
  done
  return 1
}

# Makes sure that a tool works, as far as can be: NAME ARGUMENT…
get_tool() {
  runs "$@" || { install "$1" && runs "$@"; } || true
}

# Python can take curl's place, but not for the download.
get_https_client() {
  { runs curl -qV && compgen -G '/etc/ssl/certs/ca-*.crt' >/dev/null; } || install curl ca-certificates || true
  runs curl -qV || { runs python3 -c 'import ssl' && runner_of_image &>/dev/null; } ||
    fail "There is no curl, and user $EUID can't install it: bring it in the image."
}

has_libicu() {
  [[ $(ldconfig -p) == *libicuuc.so* ]]
}

# Without git, actions/checkout downloads an archive. Without libicu, .NET uses plain text rules. So if
# one can't be installed, perhaps because a mirror is down, the other is not worth as long a wait.
get_tools() {
  if has git || install git; then
    has_libicu || install libicu || true
  else
    log 'There is no git.'
  fi
  has_libicu || export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
}

# --- the machine

# Proves the key by starting what runs already. The service must answer in its own JSON, because any
# gateway can send a status. Sets `answer`.
# shellcheck disable=SC2154 # `answer` and `status` are the guard's.
key_works() {
  api PUT '{"state":"running"}'
  [[ $status == 2* && $answer =~ \"success\"\ *:\ *true ]] && return
  # SPEC-SILENT: a service may refuse to start what runs; today's lets the key read.
  api GET
  [[ $status == 200 && $answer =~ \"instances\"\ *:\ *[[{] ]]
}

# Sets a wrong clock to the service's time, which a container may not be allowed to. GitHub refuses a
# runner whose clock is more than 5 min off, with a line every 30 s, for half an hour: NOW.
check_clock() {
  local off=$(($(date +%s) - $1))
  ((${off#-} > 120)) || return 0
  as_root date -s "@$1" &>/dev/null || fail "This machine is no good: its clock is $off s off."
  log "The clock was $off s off."
}

# Says why the key is not proven, once the guard waits no longer for that, in the words of the client or
# of the package manager. Both lines are one, so that nothing comes between.
tell_last_words() {
  local line words='nothing was said'
  until [[ -s limit || -e over ]]; do
    sleep 5
  done
  # A machine that works is over, too, in the end.
  [[ -s limit ]] && return
  while read -r line; do
    [[ $line != @(curl: *|E: *|*Error: *|*' answers '[1-9]*) ]] || words=${line#*Z ghr: }
  done <log
  log "The key was not proven: ${words:0:300}"$'\n'"$(log 'Staying for 60 s.')"
}

# Lets the machine live so many seconds more at most: SECONDS. Sets `lived` and `life`, from its first start on.
# A restart begins no new term. The guard may read the file meanwhile, so it is never empty.
live() {
  read -r life <>limit || life=$GHR_MAX_UPTIME
  read -r lived <>ticks || true
  lived=$((15 * ${#lived}))
  ((life < lived + $1)) || life=$((lived + $1))
  printf '%9d\n' "$life" 1<>limit
}

# Lets no runner start before the machine can surely end itself. The service's clock sets the deadline.
prove_key() {
  local now left=$GHR_MAX_UPTIME date=$'\n[Dd]ate: ([^\r\n]*)'
  until key_works; do
    sleep 5
  done
  if [[ $answer =~ $date ]] && now=$(date -d "${BASH_REMATCH[1]}" +%s); then
    left=$((GHR_DEADLINE - now))
    ((left > 0)) || fail 'Time is up.'
    check_clock "$now"
  fi
  live "$left"
  log "The key works. Time is up after $life s."
}

# Takes the first nvidia-smi that works. Doesn't wait for the end of one that hangs, even in the kernel.
check_gpus() {
  local IFS=: folder list='' line count=0 words=''
  for folder in $PATH; do
    [[ -x $folder/nvidia-smi ]] || continue
    # shellcheck disable=SC2016 # As in the guard: bash before 5.1 reads it only when it is run.
    eval 'exec 3< <("$folder/nvidia-smi" -L 2>&1 || echo "(code $?)")'
    read -r -N 99999 -t 120 -u 3 list || (($? < 128)) || fail 'nvidia-smi took longer than 120 s.'
    exec 3<&-
    hash -p "$folder/nvidia-smi" nvidia-smi
    [[ $list == *'(code '* ]] || break
  done
  has nvidia-smi || {
    line=${NVIDIA_DRIVER_CAPABILITIES:-all}
    [[ $line == *@(all|utility)* ]] || list=": NVIDIA_DRIVER_CAPABILITIES is $line, and lacks utility"
    fail "There is no nvidia-smi in this image$list."
  }
  while read -r line; do
    [[ $line != 'GPU '* ]] || ((count += 1))
    [[ $line == @(|'GPU '*|*UUID*) ]] || words+=" $line"
  done <<<"$list"
  [[ $list != *'(code '* ]] || fail "nvidia-smi fails:${words:0:300}"
  ((count >= GHR_NUM_GPUS)) || fail "nvidia-smi sees $count of $GHR_NUM_GPUS GPUs.${words:0:300}"
}

# --- the user's own lines

# Becomes the user's program, COMMAND …, with the variables that this machine was given, because ours
# may have the same names, and without those that are for us.
as_given() {
  while read -r -d ''; do
    [[ $REPLY == @(GHR_|CONTAINER_API_KEY=|functions=|ACTIONS_RUNNER_|RUNNER_|DOTNET_|SHELLOPTS=|PWD=|OLDPWD=)* ]] ||
      declare -x "$REPLY"
  done <"/proc/$$/environ" 2>/dev/null || true
  exec "$@"
}

# Runs the user's shell: NAME PACKED SECONDS, with the user's variables but none of ours, in $HOME,
# in a process group of its own, which is killed when the time is up. Its output goes to a file, because
# programs left in the background would block a pipe. Sets `failure`, empty after a success, with the
# last line of the output, as a terminal shows it.
run_users() {
  local name=$1 seconds=$3 shell timer follower words code=0
  failure=''
  rm -f "$name.late"
  unpack "$2" >"$name.sh"
  : >"$name.log"
  set -m
  (cd && as_given bash -eo pipefail "$GHR_ROOT/$name.sh") &>"$name.log" &
  shell=$!
  { sleep "$seconds" && { : >"$name.late" || true; } && kill -KILL -- "-$shell"; } &
  timer=$!
  set +m
  trap 'kill -KILL -- "-$shell" "-$timer"; exit 1' INT TERM
  tail -n +1 -f -s 0.2 --pid "$shell" "$name.log" &
  follower=$!
  # Bash would report that they were killed.
  {
    wait "$shell" || code=$?
    kill -KILL -- "-$timer" || true
    wait "$timer" "$follower" || true
  } 2>/dev/null
  trap - INT TERM
  ((code == 0)) || failure="$name ended with code $code."
  [[ ! -e $name.late ]] || failure="$name took longer than $seconds s."
  words=$(tail -n 20 "$name.log" | tr '\r' '\n')
  words=${words%"${words##*[![:space:]]}"}
  read -r words <<<"${words##*$'\n'}" || true
  failure+=${failure:+${words:+ ${words:0:300}}}
}

# If the probe fails, the machine is bad, and another one is rented.
run_probe() {
  [[ -n ${GHR_PROBE-} ]] || return 0
  run_users probe "$GHR_PROBE" 120
  [[ -z $failure ]] || fail "This machine is no good: $failure"
}

# If the setup fails, another machine would not help. The runner starts, and the GPU job shows why.
run_setup() {
  [[ -n ${GHR_SETUP-} ]] || return 0
  log 'Running setup.'
  run_users setup "$GHR_SETUP" "$GHR_SETUP_TIMEOUT"
  [[ -z $failure ]] || log "The GPU job will fail: $failure"
}

# --- the runner

# Prints the folder of an image's runner, if there is one of the version that GitHub offers.
runner_of_image() {
  local folder version pattern='-([0-9.]+)\.tar\.gz$'
  [[ $GHR_RUNNER_URL =~ $pattern ]] || return
  for folder in "${RUNNER_HOME:-/opt/actions-runner}" /opt/actions-runner /actions-runner; do
    [[ -x $folder/bin/Runner.Listener ]] || continue
    version=$(DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$folder/bin/Runner.Listener" --version) || true
    log "The image has runner $version in $folder; GitHub offers ${BASH_REMATCH[1]}." >&2
    [[ $version != "${BASH_REMATCH[1]}" ]] || { echo "$folder" && return; }
  done
  return 1
}

download_runner() {
  local start=$SECONDS end
  retry curl -fsSL --connect-timeout 30 -y 60 -o runner.tgz "$GHR_RUNNER_URL" || fail "The runner can't be downloaded."
  sha256sum --status -c <<<"$GHR_RUNNER_SHA256  runner.tgz" || fail "The runner has a wrong SHA-256."
  end=$SECONDS
  mkdir -p runner
  gzip -dc runner.tgz | tar -xoC runner
  rm runner.tgz
  log "The runner: download $((end - start)) s, unpacking $((SECONDS - end)) s." >&2
}

# A runner writes into its folder, which it finds by the real place of its programs. So the programs of
# an image's runner are copied. The rest, most of it, is only read.
get_runner() {
  local folder
  if folder=$(runner_of_image); then
    mkdir -p runner/bin
    cp -a "$folder/bin/." runner/bin/
    ln -sfn "$folder/externals" runner/externals
  else
    download_runner
  fi
}

# Becomes the runner's job-started hook: RUN FOLDER FAILURE SIGNAL. An accepted job must never be
# ended. A foreign job must not keep the machine. A job after a failed setup must do no harm.
on_job_started() {
  local job="$GITHUB_REPOSITORY $GITHUB_RUN_ID $GITHUB_RUN_ATTEMPT" listener
  if [[ $job != "$1" ]]; then
    touch "$2/refused"
    echo "This machine was rented for $1, not for $job."
    # Its steps with `if: always()` would still run, as root. So the runner is interrupted. It ends
    # the job first, and reports why to GitHub. A worker that is left has no time for steps.
    if [[ $(<"/proc/$PPID/comm") == Runner.Worker ]]; then
      read -r _ _ _ listener _ <"/proc/$PPID/stat"
      kill "-$4" "$listener" || true
      sleep 25 || true
      kill -KILL "$PPID"
    fi
    exit 1
  fi
  printf '%(%s)T' -1 >"$2/accepted"
  # Earlier samples of the GPUs are not of this job.
  [[ ! -f $2/figures ]] || : >"$2/figures"
  # GitHub sets it for a job with `id-token: write` alone.
  [[ -z ${ACTIONS_ID_TOKEN_REQUEST_URL-} ]] ||
    set -- "$1" "$2" 'Remove id-token: write. The host may have used it.'
  [[ -n $3 ]] || exit 0
  # GitHub annotates the job with the last line.
  printf '%s\n' "$(tail -n 200 "$2/setup.log" 2>&-)" "::error::${3//%/%25}"
  exit 1
}

write_hook() {
  {
    echo '#!/bin/bash'
    declare -f on_job_started
    printf 'on_job_started %q %q %q %q\n' \
      "$GHR_REPOSITORY $GHR_RUN_ID $GHR_RUN_ATTEMPT" "$GHR_ROOT" "$failure" "${GHR_SIGNAL-INT}"
  } >job-started.sh
  chmod +x job-started.sh
}

# --- all of it

# The service's log is lost with the machine, and with it the reason of this machine or of GitHub's
# runner. In this time main reads it. Once the guard gives the machine back, nothing more is said.
stay() {
  (($? == 0)) || [[ -e over ]] || { log 'Staying for 60 s.' && sleep 60; }
}

# The download goes on while the key is proven, the probe runs and packages are installed. A runner of
# the image needs neither tar nor gzip, and Python may unpack the rest.
work() {
  # shellcheck disable=SC2034 # `configuration`: this sees whether there is one.
  local stages='' since=0 failure='' runner configuration
  next_configuration || fail 'This machine has had its turn.'
  trap stay EXIT
  tell_last_words &
  require_glibc
  get_https_client
  get_tool tar --version
  get_tool gzip -c
  stage image
  get_runner &>got &
  runner=$!
  prove_key
  stage key
  check_gpus
  run_probe
  stage GPU
  get_tools
  stage tools
  # It tells its part only now, so that the reason is the last line before the end, whatever failed.
  wait "$runner" || runner=''
  echo "$(<got)"
  [[ $runner ]] || exit 1
  stage runner
  run_setup
  stage setup
  write_hook
  # shellcheck source=onstart/figures.sh
  [[ -z ${GHR_FIGURES-} ]] || { eval "$(unpack "$GHR_FIGURES")" && start_figures; }
  log "Ready to listen after $SECONDS s: ${stages#, }."
  run_runners
}
