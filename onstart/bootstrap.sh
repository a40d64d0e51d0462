#!/usr/bin/env bash
#
# The guard of a rented GPU machine. It starts the work (work.sh, in the variable GHR_WORK), and gives
# the machine back when the work is over, whatever happened. This script returns at once, because the
# service's boot may wait for it. It may run again, by hand or after a restart: there is one guard.
#
#   variable                      from         what
#   GHR_API_URL                   the action   base URL of the rental service
#   GHR_WORK                      the action   work.sh, runners.sh: gzip, base64
#   GHR_ROOT                      anyone       all its files; /opt/ghr, else ~/ghr, else /tmp/ghr
#   CONTAINER_ID                  the service  the instance
#   CONTAINER_API_KEY             the service  the instance's own key; a secret
#
# Files in GHR_ROOT: of (whose they are: the instance) · log · lock (its guard: process id and
# birth), lock.… (the guard after a dead one) · ticks (a byte for each 15 s lived) · limit (seconds
# to live, once the key is proven) · spent (a line for each started runner) · over (no runner may
# start any more) · work.sh, and its files
#
# Exit code: 0, or 1 when not on a rented machine (no CONTAINER_ID) or without a place to write (it
# gives the machine back after 60 s). The last lines of the log always say why the machine is given back:
#   The runner ended with code 0.       its jobs ran, or none came in time
#   Time is up after N s.               the deadline, or after 180 s without a proof of the key
#   The key was not proven: TEXT        then; TEXT is the last that was said about it
#   any other sentence                  preparing failed; it says why

# Makes no process, because the guard must be able to log when a job has used all processes up.
log() {
  local TZ=UTC
  printf '%(%FT%TZ)T ghr: %s\n' -1 "$*"
}

fail() {
  log "$*"
  exit 1
}

has() {
  command -v "$1" >/dev/null
}

# Calls the first program of this name that works, NAME ARGUMENT…, and takes it from then on: an image's
# own may lack a library.
runs() {
  local IFS=: folder
  for folder in $PATH; do
    [[ -x $folder/$1 ]] && "$folder/$1" "${@:2}" && hash -p "$folder/$1" "$1" && return
  done
  return 1
} &>/dev/null </dev/null

# Prints what the action has packed.
unpack() {
  if runs base64 -d && runs gzip -c; then
    printf %s "$1" | base64 -d | gzip -d
  else
    printf %s "$1" | python3 -m base64 -d | python3 -m gzip -d
  fi
}

# Asks the service about this instance: METHOD [JSON]. Sets `answer` (headers, body) and `status`.
# The key goes through a pipe, because everybody can see arguments. It follows no redirect. Python takes
# curl's place. Its alarm ends it even when it hangs outside of Python.
api() {
  local url="$GHR_API_URL/api/v0/instances/$CONTAINER_ID/"
  answer=''
  if runs curl -qV; then
    answer=$(printf 'header = "Authorization: Bearer %s"' "$CONTAINER_API_KEY" |
      curl -qisS -m 20 -K - -X "$1" -H 'Content-Type: application/json' ${2:+"-d$2"} -w '\n%{http_code}' "$url") || true
  elif runs python3 -c 'import ssl'; then
    answer=$(printf '%s\n' "$CONTAINER_API_KEY" | python3 -c 'import signal
from urllib.request import *
signal.alarm(20)
class All(HTTPErrorProcessor): http_response=https_response=lambda *all: all[2]
answer=build_opener(All).open(Request("'"$url"'",b"""'"${2-}"'""",{"Authorization": "Bearer "+input(),"Content-Type": "application/json"},method="'"$1"'"))
print("",answer.headers,answer.read(),answer.status,sep="\n")') || true
  fi
  status=${answer##*$'\n'}
  log "The service answers ${status:-nothing} to $1."
}

# Whether the first process is our own container's, not that of a computer around a simulation.
in_container() {
  local entry
  while IFS= read -r -d '' entry; do
    [[ $entry != "CONTAINER_ID=$CONTAINER_ID" ]] || return 0
  done </proc/1/environ
  return 1
} 2>/dev/null

# --- the guard: the dead-man timer. It does as little as possible, so that nothing can hang or end
# it. While a job may run it makes no process, because bash ends when that fails.

# Prints a name for a process that a later one with its id can't have; none for a dead one, whom
# nobody buries where the container's first process is no init.
birth() {
  local stat
  read -ra stat <"/proc/$1/stat"
  [[ ${stat[2]} == Z ]] || echo "$1.${stat[21]}"
} 2>/dev/null

# Keeps one guard, however many start at once. The successor of a dead guard links to itself by a name
# with the dead one's in it, which only one can make. No guard at all would be worse than two.
take_lock() {
  local name=lock holder
  until ln -s "$(birth $$)" "$name" 2>/dev/null; do
    holder=$(readlink "$name") || return 0
    [[ $(birth "${holder%.*}") != "$holder" ]] || return
    name=lock.$holder
  done
}

# Asks the work, its runner and what that runs to end.
interrupt() {
  kill "-${GHR_SIGNAL-INT}" -- "-$work"
}

# Waits so many seconds by a pipe without a writer. Fails as soon as the work is over. Makes no process.
pause() {
  read -r -t "$1" -n 1 -u 3 _ && return 1
  (($? > 128)) || sleep "$1"
}

# Waits until the work is over or the time is up. Counts the time, because the clock may be wrong, and
# keeps it in a file for a restart. A full disk doesn't stop it. Interrupts a runner at the last tick
# before, because a runner needs some 10 s to end its job's step and to report to GitHub.
watch() {
  local life=180
  while kill -0 "$work"; do
    pause 15 || break
    printf . >>ticks
    ((elapsed += 15))
    # Until the key is proven there are 3 minutes.
    [[ -s limit ]] && read -r life <limit
    ((elapsed + 15 >= life)) && [[ -s spent ]] && log "Time is up after $life s: stopping the runner." && interrupt
    if ((elapsed >= life)); then
      log "Time is up after $life s."
      # The work tells why, and main reads it.
      [[ -s limit ]] || { : >over && pause 60; }
      break
    fi
  done 2>/dev/null
}

# The last resort ends all processes but the first one, which then ends, too.
stop_everything() {
  if in_container; then
    log 'Stopping everything.'
    # The service's log is to show that, too.
    pause 2
    kill 1
    kill -KILL -- -1
  fi
} 2>/dev/null

# Asks for ever. While this runs, the machine is there, whatever the service says.
give_back() {
  own_ways
  trap again EXIT
  : >over
  log 'Giving the machine back.'
  {
    interrupt && pause 2
    kill -KILL -- "-$work"
  } 2>/dev/null
  while true; do
    ((tries += 1))
    api DELETE
    [[ -z $status ]] || ends=0
    [[ $status == 40[13] ]] && ((tries > 2)) && api PUT '{"state":"stopped"}'
    ((tries % 20)) || stop_everything
    ((seconds = seconds < 15 ? seconds * 2 : 30))
    pause "$seconds"
  done
}

# The work may fail or hang anywhere. So it is a child with a process group of its own and the
# functions above, and is killed first when memory runs out.
begin() {
  set -Eeuo pipefail
  trap - HUP
  trap 'log "Line $LINENO of ${BASH_SOURCE[0]##*/} failed."' ERR
  { echo 500 >"/proc/$BASHPID/oom_score_adj" || true; } 2>/dev/null
  unpack "${GHR_WORK-}" >work.sh || fail 'GHR_WORK is missing or damaged.'
  # shellcheck source=onstart/work.sh
  source ./work.sh
  work
}

# Under -m the work gets a process group of its own.
start_work() {
  set -m
  (
    trap : INT TERM
    (begin 3>&-)
    echo >&3
  ) &
  work=$!
  set +m
}

# bash ends when it can't make a process. Then it restarts itself by exec, to give back, with -p,
# because the image's BASH_ENV may make processes. A job may take each process that becomes free. After
# the third time in a row, some 60 s, only the last resort is left, which makes none.
again() {
  shopt -s execfail
  export functions CONTAINER_API_KEY "${!GHR_@}" work tries seconds ends
  while true; do
    ((ends += 1))
    ((ends % 3)) || stop_everything
    ((ends < 2)) || pause 15
    # shellcheck disable=SC2093 # With execfail it goes on where that fails.
    exec bash -pc 'eval "$functions"' bash give_back
  done
}

guard() {
  own_ways
  local answer='' status='' lived='' elapsed
  work='' tries=0 seconds=2 ends=0
  trap '' HUP
  take_lock || return
  trap again EXIT
  # A job that runs as root could still find the key of this machine, but nobody hands it over.
  export -n functions CONTAINER_API_KEY "${!GHR_@}"
  # Read when it is run: bash before 5.1 takes it for a mistake where POSIXLY_CORRECT is set.
  eval 'exec 3<> <(:)'
  [[ -s ticks ]] && read -r lived <ticks
  elapsed=$((15 * ${#lived}))
  # The service's log is what the first process prints. If that blocks, only this blocks.
  in_container && tail -n +1 -F --pid $$ log >>/proc/1/fd/1 &
  if [[ -e over ]]; then
    log 'This machine has had its turn.'
  else
    start_work
    watch
  fi
  give_back
}

# Goes to a folder that this image's user may write to.
enter() {
  for GHR_ROOT in "${GHR_ROOT:-/opt/ghr}" "$HOME/ghr" /tmp/ghr; do
    if mkdir -p "$GHR_ROOT" && cd "$GHR_ROOT" && [[ -w . ]]; then return; fi
  done 2>/dev/null
  log "There is no folder for user $EUID to write to: use an image whose user is root."
  log 'Staying for 60 s.'
  # No guard without its files: all that it could do is this.
  while sleep 60; do api DELETE; done >/dev/null 2>&1 &
  exit 1
}

# An image's SHELLOPTS and BASH_ENV apply to every bash. errexit would stop the giving back, and
# xtrace would show secrets.
own_ways() {
  set +eux +o posix
  export -n SHELLOPTS
  cd "$GHR_ROOT"
}

# A volume may bring the files of another machine. A full disk doesn't stop the guard.
own_files() {
  [[ ! -s of || $(<of) == "$CONTAINER_ID" ]] || rm -rf -- *
  printf '%s' "$CONTAINER_ID" >of
} 2>/dev/null

# Runs a command so that it reacts to SIGINT. What a script starts by & ignores SIGINT, also this
# guard, the runner and its job, and bash can't undo that. Without a tool that can, SIGTERM takes its
# place, because today's runner ends its job by that as well.
# shellcheck disable=SC2016 # bash must not expand them.
hearing() {
  if [[ -n $(trap -p INT) ]]; then
    if env --default-signal=INT bash -c : 2>/dev/null; then
      exec env --default-signal=INT "$@"
    elif perl -e 1 2>/dev/null; then
      exec perl -e '$SIG{INT}="DEFAULT";exec@ARGV' "$@"
    elif python3 -c 1 2>/dev/null; then
      exec python3 -c 'import os,signal as s,sys
for n in 2,13,25:s.signal(n,s.SIG_DFL)
os.execvp(sys.argv[1],sys.argv[1:])' "$@"
    fi
    export GHR_SIGNAL=TERM
  fi
  exec "$@"
}

# The guard gets this text in a variable. It doesn't get all functions, because an image may define
# more of them for every bash than a variable can hold.
main() {
  set -Eeuo pipefail
  : "${CONTAINER_ID:?}"
  functions=${BASH_EXECUTION_STRING:-$(<"$0")}
  # The folder of the user's entry, else root's, else everybody's.
  if [[ ! -d ${HOME-} ]]; then
    unset HOME
    for HOME in ~ /root /tmp; do
      [[ $HOME == / || ! -x $HOME/ ]] || break
    done
  fi
  enter
  own_files || log 'The disk takes no files.'
  export functions GHR_ROOT HOME PATH
  set -m
  # shellcheck disable=SC2016 # The guard's own bash is to read it.
  hearing bash -c 'eval "$functions"' bash guard </dev/null >>log 2>&1 &
}

# The guard's own bash names what it shall do.
[[ ${BASH_SOURCE[0]:-$0} != "$0" ]] || "${@:-main}"
