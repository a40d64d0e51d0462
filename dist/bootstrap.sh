#!/usr/bin/env bash
#
# Runs on the rented GPU machine. This is the guard: it starts the work (work.sh, which the variable GHR_WORK brings),
# and gives the machine back when that is over, whatever happened. Returns to its caller at once: the service's boot may
# wait for it. May be run again, by hand or by a restart of the container: it never starts a second runner.
#
#   variable                      from         what
#   GHR_API_URL                   the action   base URL of the rental service
#   GHR_IDLE_TIMEOUT              the action   seconds that the runner may wait for a job
#   GHR_WORK                      the action   work.sh, gzip and base64; its head names the variables that it reads
#   GHR_ROOT                      anyone       the folder of all files; default /opt/ghr
#   CONTAINER_ID                  the service  the instance
#   CONTAINER_API_KEY             the service  the instance's own key; a secret
#
# Files in GHR_ROOT: log · lock (its guard: process id and birth) · ticks (a byte for each 15 s lived) · limit (seconds
# to live; exists once the key is proven) · spent (no runner may start any more; not empty: one was started, and the
# log had so many characters) · accepted, refused (a job came) · work.sh, and what that makes
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

# Prints what the action has packed.
unpack() {
  base64 -d <<<"$1" | gzip -d
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

# A job has come as soon as the runner says so: its hook runs later, after the downloads of the job's actions. What the
# log said before the runner started is not the runner's word.
job_came() {
  local said
  said=$(<log)
  [[ -e accepted || ${said:$(<spent)} == *'Running job'* ]]
}

# No job came, or a foreign one. 60 s more than the action waits: it speaks first.
idle() {
  [[ -s spent ]] || began=$elapsed
  [[ -e accepted || ! -s spent ]] && return 1
  [[ -e refused ]] && return
  ((elapsed >= began + GHR_IDLE_TIMEOUT + 60)) && ! job_came
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

# The work may fail or hang at any place. It is a child with a process group of its own, and has the functions above.
begin() {
  set -eu
  trap - HUP
  trap 'log "Line $LINENO of ${BASH_SOURCE[0]##*/} failed."' ERR
  unpack "${GHR_WORK-}" >work.sh || fail 'GHR_WORK is missing or damaged.'
  # shellcheck source=onstart/work.sh
  source ./work.sh
  work
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
    begin &
    work=$!
    set +m
    watch
  fi
  give_back
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
