#!/usr/bin/env bash
#
# The work on a rented GPU machine, from the container's start to its last runner's end. Read by the
# guard (bootstrap.sh), whose functions it uses, in a process of its own, with runners.sh
# before it; never run by itself. The guard gives the machine back when it ends, however it ends.
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
#   GHR_FIGURES                   the action   figures.sh, packed; none: nothing is told of the GPUs
#   RUNNER_HOME                   the image    the folder of a runner that the image brings
#
# Files in GHR_ROOT, beside the guard's: updated (package lists) · runner.tgz · runner/ ·
# job-started.sh · accepted (when a job came), refused (a foreign one did) · probe.sh, setup.sh and
# their output, probe.log, setup.log; .late: they were cut

retry() {
  "$@" || { sleep 10 && "$@"; } || { sleep 30 && "$@"; }
}

# Notes the end of a part of the work, for the line that says where the time went: NAME.
stage() {
  stages+=", $1 $((SECONDS - since)) s"
  since=$SECONDS
}

# --- the image

require_glibc() {
  [[ $(ldd --version 2>&1) != *musl* ]] || fail "Alpine images can't run the GitHub runner: it needs glibc."
}

# An image may have a user of its own, who may become root by sudo, or can't install.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi
}

# Withstands a wrong clock (lists "not valid yet"), a broken third repository, and installs that the
# image itself starts.
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
    if has "$manager"; then retry as_root "$manager" install -y "$@" && return; fi
  done
  return 1
}

get_https_client() {
  { has curl && compgen -G '/etc/ssl/certs/ca-*.crt' >/dev/null; } || install curl ca-certificates || true
  has curl || fail "There is no curl, and user $EUID can't install it: bring it in the image."
}

has_libicu() {
  [[ $(PATH=$PATH:/sbin:/usr/sbin ldconfig -p) == *libicuuc.so* ]]
}

# Without git, actions/checkout downloads an archive; without libicu, .NET has plain text rules. So
# where one can't be had, perhaps as a mirror is away, the other is not worth as long a wait.
get_tools() {
  if has git || install git; then
    has_libicu || install libicu || true
  else
    log 'There is no git.'
  fi
  has_libicu || export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
}

# --- the machine

# The key's granted power, used on what runs anyway; told by the service's own words, as any gateway
# can send a status. Sets `answer`.
# shellcheck disable=SC2154 # `answer` and `status` are the guard's.
key_works() {
  api PUT '{"state":"running"}'
  [[ $status == 2* && $answer =~ \"success\"\ *:\ *true ]] && return
  # SPEC-SILENT: a service may refuse to start what runs; today's lets the key read.
  api GET
  [[ $status == 200 && $answer =~ \"instances\"\ *:\ *[[{] ]]
}

# Sets the clock to the service's where it is wrong, which a container may not. GitHub refuses a
# runner whose clock is more than 5 min off, by a line every 30 s, for half an hour: NOW.
check_clock() {
  local off=$(($(date +%s) - $1))
  ((${off#-} > 120)) || return 0
  as_root date -s "@$1" >/dev/null 2>&1 || fail "This machine is no good: its clock is $off s off."
  log "The clock was $off s off, and is set."
}

# No runner before the machine can surely end itself; the service's clock tells its time to live.
prove_key() {
  local now lived='' limit=$GHR_MAX_UPTIME date=$'\n[Dd]ate: ([^\r]*)'
  until key_works; do
    sleep 5
  done
  if [[ $answer =~ $date ]] && now=$(date -d "${BASH_REMATCH[1]}" +%s); then
    ((GHR_DEADLINE > now)) || fail 'Time is up.'
    check_clock "$now"
    [[ ! -s ticks ]] || read -r lived <ticks || true
    ((now = GHR_DEADLINE - now + 15 * ${#lived}))
    ((limit < now)) || limit=$now
  fi
  echo "$limit" >limit
  log "The key works. Time is up after $limit s."
}

check_gpus() {
  local list word count=0
  list=$(timeout 120 nvidia-smi -L) || {
    (($? != 124)) || fail 'nvidia-smi took longer than 120 s.'
    fail "nvidia-smi fails: $list"
  }
  while read -r word _; do
    [[ $word != GPU ]] || ((count += 1))
  done <<<"$list"
  ((count >= GHR_NUM_GPUS)) || fail "nvidia-smi sees $count of $GHR_NUM_GPUS GPUs."
}

# --- the user's own lines

# Becomes the user's program, COMMAND …, with the variables that this machine was given, as ours may
# have the same names, and with none that is for us.
as_given() {
  while read -r -d ''; do
    [[ $REPLY == @(GHR_|CONTAINER_API_KEY=|functions=|ACTIONS_RUNNER_|RUNNER_|DOTNET_|SHELLOPTS=|PWD=|OLDPWD=)* ]] ||
      declare -x "$REPLY"
  done <"/proc/$$/environ" 2>/dev/null || true
  exec "$@"
}

# Runs the user's shell: NAME PACKED SECONDS, with the user's variables but none of ours, in $HOME,
# in a process group of its own, which is cut when the time is up. A file keeps its output: through
# a pipe, programs left in the background would hold us. Sets `failure`, empty when all was well.
run_users() {
  local name=$1 seconds=$3 shell timer follower code=0
  failure=''
  rm -f "$name.late"
  unpack "$2" >"$name.sh"
  : >"$name.log"
  set -m
  (cd "${HOME:-/root}" && as_given bash -eo pipefail "$GHR_ROOT/$name.sh") >"$name.log" 2>&1 &
  shell=$!
  { sleep "$seconds" && { : >"$name.late" || true; } && kill -KILL -- "-$shell"; } &
  timer=$!
  set +m
  trap 'kill -KILL -- "-$shell" "-$timer"; exit 1' INT TERM
  tail -n +1 -f -s 0.2 --pid "$shell" "$name.log" &
  follower=$!
  # Bash would tell that they were killed.
  {
    wait "$shell" || code=$?
    kill -KILL -- "-$timer" || true
    wait "$timer" "$follower" || true
  } 2>/dev/null
  trap - INT TERM
  ((code == 0)) || failure="$name ended with code $code."
  [[ ! -e $name.late ]] || failure="$name took longer than $seconds s."
}

# Where it fails, the machine is bad, and another one is taken.
run_probe() {
  [[ -n ${GHR_PROBE-} ]] || return 0
  run_users probe "$GHR_PROBE" 120
  [[ -z $failure ]] || fail "This machine is no good: $failure $(tail -n 1 probe.log)"
}

# Where it fails, another machine would be of no use: the runner starts, and the GPU job tells.
run_setup() {
  [[ -n ${GHR_SETUP-} ]] || return 0
  log 'Running setup.'
  run_users setup "$GHR_SETUP" "$GHR_SETUP_TIMEOUT"
  [[ -z $failure ]] || log "$failure The GPU job will fail and show its output."
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
  tar -xzof runner.tgz -C runner
  rm runner.tgz
  log "The runner: download $((end - start)) s, unpacking $((SECONDS - end)) s." >&2
}

# A runner writes into its folder, found by where its programs really lie: those of an image's are
# copied; the rest, most of it, is only read.
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
# cut, a foreign one not keep the machine, and one on a machine whose setup failed not do harm.
on_job_started() {
  local job="$GITHUB_REPOSITORY $GITHUB_RUN_ID $GITHUB_RUN_ATTEMPT" listener
  if [[ $job != "$1" ]]; then
    touch "$2/refused"
    echo "This machine was rented for $1, not for $job."
    # Its steps with `if: always()` would run all the same, as root: so the runner is told to end,
    # which ends the job first, and tells GitHub why. A worker that is left has no time for steps.
    if [[ $(<"/proc/$PPID/comm") == Runner.Worker ]]; then
      read -r _ _ _ listener _ <"/proc/$PPID/stat"
      kill "-$4" "$listener" || true
      sleep 25 || true
      kill -KILL "$PPID"
    fi
    exit 1
  fi
  printf '%(%s)T' -1 >"$2/accepted"
  # What the GPUs did before is not this job's doing.
  [[ ! -f $2/figures ]] || : >"$2/figures"
  [[ -n $3 ]] || exit 0
  tail -n 200 "$2/setup.log"
  echo "$3"
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

# The service's log goes with the machine: what was wrong here, or what GitHub has against its runner,
# would be lost. Main reads it in this time.
stay() {
  (($? == 0)) || { log 'Staying for 60 s.' && sleep 60; }
}

# The download goes on while the key is proved, the probe thinks and packages are installed; a runner
# of the image needs neither tar nor gzip, and Python may unpack the rest.
work() {
  # shellcheck disable=SC2034 # `configuration`: this sees whether there is one.
  local stages='' since=0 failure='' runner configuration
  next_configuration || fail 'This machine has had its turn.'
  trap stay EXIT
  require_glibc
  get_https_client
  has tar || install tar || true
  has gzip || install gzip || true
  stage image
  get_runner >got &
  runner=$!
  prove_key
  stage key
  check_gpus
  run_probe
  stage GPU
  get_tools
  stage tools
  # What was wrong is the last line before the end, whatever was going on beside it.
  wait "$runner" || { echo "$(<got)" && exit 1; }
  stage runner
  run_setup
  stage setup
  write_hook
  # shellcheck source=onstart/figures.sh
  [[ -z ${GHR_FIGURES-} ]] || { eval "$(unpack "$GHR_FIGURES")" && start_figures; }
  log "Ready to listen after $SECONDS s: ${stages#, }."
  run_runners
}
