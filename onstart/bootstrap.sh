#!/usr/bin/env bash
#
# Runs on the rented GPU machine: proves that the machine can give itself back, starts one single-use GitHub runner, and
# gives the machine back when that is over, whatever happened. Returns to its caller at once: the service's boot may wait
# for it. May be run again, by hand or by a restart of the container: it never starts a second runner.
#
#   variable                      from         what
#   GHR_API_URL                   the action   base URL of the rental service
#   GHR_DEADLINE                  the action   Unix time at which the machine goes back, whatever runs on it
#   GHR_MAX_UPTIME                the action   seconds from the first start: the same where the service shows no clock
#   GHR_IDLE_TIMEOUT              the action   seconds that the runner may wait for a job
#   GHR_NUM_GPUS                  the action   GPUs that were rented
#   GHR_RUNNER_URL, _SHA256       the action   the runner's tarball
#   GHR_JIT                       the action   the runner's single-use configuration; a secret
#   GHR_REPOSITORY, GHR_RUN_ID,   the action   whose job this machine may run
#     GHR_RUN_ATTEMPT
#   GHR_ROOT                      anyone       the folder of all its files; default /opt/ghr
#   CONTAINER_ID                  the service  the instance
#   CONTAINER_API_KEY             the service  the instance's own key; a secret
#
# Files in GHR_ROOT: log · lock (its guard: process id and birth) · ticks (a byte for each 15 s lived) · limit (seconds
# to live; exists once the key is proven) · spent (no runner may start any more; not empty: one was started) ·
# accepted, refused (a job came) · updated (package lists) · job-started.sh · runner/
#
# Exit code: 0, or 1 when it is not on a rented machine (CONTAINER_ID is missing). How it went is in the log, whose last
# lines are always about giving the machine back:
#   The runner ended with code 0.       a job ran, or none came in time
#   Time is up after N s.               the deadline; after 180 s: the key was not proven
#   any other sentence                  preparing failed; it says why
set -Eeuo pipefail

log() {
  printf '%s ghr: %s\n' "$(date -u +%FT%TZ)" "$*"
}

fail() {
  log "$*"
  exit 1
}

has() {
  command -v "$1" >/dev/null
}

retry() {
  "$@" || { sleep 10 && "$@"; } || { sleep 30 && "$@"; }
}

# Asks the service about this instance: METHOD [JSON]. Sets `answer` (headers, body) and `status`. The key goes through
# a pipe, as arguments can be seen by all, and no redirect is followed with it. Where curl can't be had, Python may do to
# destroy the instance; whether it did shows by this machine's end.
api() {
  local url="$GHR_API_URL/api/v0/instances/$CONTAINER_ID/"
  if has curl; then
    answer=$(printf 'header = "Authorization: Bearer %s"' "$CONTAINER_API_KEY" |
      curl -qisS -m 20 -K - -X "$1" -H 'Content-Type: application/json' ${2:+"-d$2"} -w '\n%{http_code}' "$url") || true
    status=${answer##*$'\n'}
  else
    python3 -c 'from urllib.request import *
urlopen(Request("'"$url"'", headers={"Authorization": "Bearer " + input()}, method="DELETE"))' <<<"$CONTAINER_API_KEY"
  fi
  log "The service answers $status to $1."
}

# Whether the first process is that of our own container, and not of the computer around a simulated machine.
in_container() {
  [[ $(tr '\0' , </proc/1/environ) == *"CONTAINER_ID=$CONTAINER_ID,"* ]]
} 2>/dev/null

# --- the guard: the timer that ends it all; it does as little as possible, so that nothing can hang or end it

# Prints a name for a process that its successor with the same id can't have; none for a dead one, whom nobody buries
# where the container's first process is no init.
birth() {
  local stat
  read -ra stat <"/proc/$1/stat"
  [[ ${stat[2]} == Z ]] || echo "$1.${stat[21]}"
} 2>/dev/null

take_lock() {
  local holder
  ln -s "$(birth "$self")" lock 2>/dev/null && return
  holder=$(readlink lock)
  [[ $(birth "${holder%.*}") != "$holder" ]] || return
  ln -sfn "$(birth "$self")" lock
}

# No job came, or a foreign one. A job has come as soon as the runner says so: its hook runs later, after the
# downloads of the job's actions. 60 s more than the action waits: it speaks first.
idle() {
  [[ -s spent ]] || began=$elapsed
  [[ -e accepted || ! -s spent ]] && return 1
  [[ -e refused ]] && return
  ((elapsed >= began + GHR_IDLE_TIMEOUT + 60)) && [[ $(<log) != *'Running job'* ]]
}

# Waits until the work is over, the runner idle or the time up. Time is counted, as the machine's clock may be wrong,
# and kept in a file for a restart; but a full disk doesn't stop it.
watch() {
  local limit=180 began=$elapsed stopping='' tick
  sleep 15 &
  tick=$!
  while kill -0 "$work"; do
    wait -n
    kill -0 "$tick" && continue
    printf . >>ticks
    ((elapsed += 15))
    # Until the key is proven there are 3 minutes.
    [[ -s limit ]] && limit=$(<limit)
    if ((elapsed >= limit)); then
      log "Time is up after $limit s."
      break
    fi
    if idle; then
      [[ -z $stopping ]] || break
      log 'No job for this machine; stopping the runner.'
      # A job that comes at this very moment is kept: the next tick looks again.
      kill -INT -- "-$work"
      stopping=1
    fi
    sleep 15 &
    tick=$!
  done 2>/dev/null
}

# The last resort ends all processes but the first, which ends by that.
stop_everything() {
  kill -KILL -- "-$work"
  if [[ $GHR_ROOT == /opt/ghr && $EUID == 0 ]] && in_container; then
    log 'Stopping everything.'
    kill 1
    kill -KILL -- -1
  fi
} 2>/dev/null

give_back() {
  local tries=0 pause=2
  touch spent
  log 'Giving the machine back.'
  kill -INT -- "-$work" 2>/dev/null
  until
    api DELETE
    # The service's own word, not that of a gateway before it.
    [[ $status == 404 && $answer == *$'\n{'* ]]
  do
    kill -KILL -- "-$work" 2>/dev/null
    ((tries += 1))
    [[ $status == 40[13] ]] && ((tries > 2)) && api PUT '{"state":"stopped"}'
    ((tries == 20)) && stop_everything
    ((pause = pause < 15 ? pause * 2 : 30))
    sleep "$pause"
  done
  log 'The machine is given back.'
  stop_everything
}

guard() {
  local self=$BASHPID answer status elapsed work='' ticks
  set +eu
  take_lock || return
  # A job that runs as root could still find the key of this machine, but nobody hands it over.
  export -n CONTAINER_API_KEY "${!GHR_@}"
  touch ticks
  ticks=$(<ticks)
  elapsed=$((15 * ${#ticks}))
  # The service's log is what the first process prints. If that blocks, only this blocks.
  in_container && tail -n +1 -F --pid "$self" log >>/proc/1/fd/1 &
  if [[ -e spent ]]; then
    log 'This machine has had its turn.'
  else
    # Under -m it gets a process group of its own, and SIGINT is not ignored.
    set -m
    work &
    work=$!
    set +m
    watch
  fi
  give_back
}

# --- the work, which may fail or hang at any place

# A wrong clock must not make the package lists "not valid yet"; a broken third repository not hinder the others.
with_apt() {
  local icu
  [[ -e updated ]] || apt-get -qq -o Acquire::Check-Date=false update
  if [[ $1 == libicu ]]; then
    icu=$(apt-cache search --names-only '^libicu[0-9]+$')
    set -- "${icu%% *}"
  fi
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" &&
    touch updated
}

install() {
  local manager
  if has apt-get; then
    retry with_apt "$@"
  else
    for manager in dnf microdnf yum; do
      if has "$manager"; then retry "$manager" install -y "$@" && return; fi
    done
  fi
}

require_glibc() {
  [[ $(ldd --version 2>&1) != *musl* ]] || fail "Alpine images can't run the GitHub runner: it needs glibc. \
Use a Debian, Ubuntu or RHEL based image."
}

has_libicu() {
  [[ $(PATH=$PATH:/sbin:/usr/sbin ldconfig -p) == *libicuuc.so* ]]
}

get_https_client() {
  { has curl && compgen -G '/etc/ssl/certs/ca-*.crt' >/dev/null; } || install curl ca-certificates || true
  has curl || fail 'There is no curl.'
}

# The seed lets the machine's key only start, stop and destroy; the service lets it read, too. Sets `answer`.
key_works() {
  api GET
  [[ $status == 200 || $status == 403 ]] && return
  api PUT '{"state":"running"}'
  [[ $status == 2* && ! $answer =~ \"success\":\ *false ]]
}

# No runner before the machine can surely end itself. From the service's clock it learns how long it may live.
prove_key() {
  local now ticks limit=$GHR_MAX_UPTIME date=$'\n[Dd]ate: ([^\r]*)'
  until key_works; do
    sleep 5
  done
  if [[ $answer =~ $date ]] && now=$(date -d "${BASH_REMATCH[1]}" +%s); then
    ((GHR_DEADLINE > now)) || fail 'Time is up.'
    ticks=$(<ticks)
    ((now = GHR_DEADLINE - now + 15 * ${#ticks}))
    ((limit < now)) || limit=$now
  fi
  echo "$limit" >limit
  log "The key works. Time is up after $limit s."
}

check_gpus() {
  local list word count=0
  list=$(nvidia-smi -L) || fail "nvidia-smi fails: $list"
  while read -r word _; do
    [[ $word != GPU ]] || ((count += 1))
  done <<<"$list"
  ((count >= GHR_NUM_GPUS)) || fail "nvidia-smi sees $count of $GHR_NUM_GPUS GPUs."
}

# Without git, actions/checkout downloads an archive; without libicu, .NET can do with plain text rules.
get_tools() {
  has git || install git || log 'There is no git.'
  has tar || install tar
  has_libicu || install libicu || true
  has_libicu || export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
}

download_runner() {
  retry curl -fsSL -y 60 -o runner.tgz "$GHR_RUNNER_URL" || fail "The runner can't be downloaded."
  sha256sum --status -c <<<"$GHR_RUNNER_SHA256  runner.tgz" || fail "The runner has a wrong SHA-256."
  mkdir -p runner
  tar -xzof runner.tgz -C runner
  rm runner.tgz
}

# Becomes the runner's job-started hook: RUN FOLDER. An accepted job must never be cut, a foreign one not keep the machine.
on_job_started() {
  local job="$GITHUB_REPOSITORY $GITHUB_RUN_ID $GITHUB_RUN_ATTEMPT"
  [[ $job != "$1" ]] || exec touch "$2/accepted"
  touch "$2/refused"
  echo "This machine was rented for $1, not for $job."
  exit 1
}

run_runner() {
  local code
  {
    echo '#!/bin/bash'
    declare -f on_job_started
    printf 'on_job_started %q %q\n' "$GHR_REPOSITORY $GHR_RUN_ID $GHR_RUN_ATTEMPT" "$GHR_ROOT"
  } >job-started.sh
  chmod +x job-started.sh
  (set -C && echo runner >spent) || fail 'Time is up.'
  log 'Starting the runner.'
  for _ in 1 2 3 4 5; do
    code=0
    ACTIONS_RUNNER_INPUT_JITCONFIG=$GHR_JIT ACTIONS_RUNNER_HOOK_JOB_STARTED=$GHR_ROOT/job-started.sh \
      RUNNER_ALLOW_RUNASROOT=1 runner/bin/Runner.Listener run || code=$?
    log "The runner ended with code $code."
    # 2: it may be tried again, but a used configuration never.
    [[ $code == 2 && $(<log) != *'Running job'* ]] || break
    sleep 5
  done
}

work() {
  set -eu
  trap - HUP
  trap 'log "Line $LINENO failed."' ERR
  require_glibc
  get_https_client
  prove_key
  check_gpus
  get_tools
  download_runner
  run_runner
}

main() {
  : "${CONTAINER_ID:?}"
  mkdir -p "${GHR_ROOT:=/opt/ghr}"
  cd "$GHR_ROOT"
  trap '' HUP
  set -m
  guard </dev/null >>log 2>&1 &
}

[[ ${BASH_SOURCE[0]:-$0} != "$0" ]] || main "$@"
