# shellcheck shell=bash
# Read by every bash of a simulated machine at its start (BASH_ENV): bash's own waiting and clock
# follow simulated time, too. Makes no process.

# Sets the factor and the clock of this machine, once in a shell.
sim_time() {
  [[ -n ${SIM_FACTOR_MICRO-} ]] && return
  # shellcheck source=/dev/null
  source "${SIM_MACHINE}sim/settings.bash" && source "$SIM_LIB/clock.bash"
}

# `read … -t N …` waits N simulated seconds. Names that nobody has: none of the caller's is hidden. The words are
# taken one by one, as IFS is the caller's.
read() {
  local __word __seconds='' __rest=()
  [[ $* != *-t* ]] || for __word; do
    if [[ $__seconds == -t ]]; then
      __seconds=$__word
    elif [[ $__word == -t ]]; then
      __seconds=-t
    else
      __rest+=("$__word")
    fi
  done
  if [[ $__seconds =~ ^[0-9.]+$ && $__seconds != 0 ]] && sim_time; then
    local __reply=${REPLY-} __due __left __code
    due_after "$__seconds"
    __due=$REPLY
    # Again when it ended too early, because the computer could not keep up.
    while left_until "$__due"; do
      __left=$REPLY REPLY=$__reply
      # shellcheck disable=SC2162 # As its caller wants it.
      builtin read -t "$__left" "${__rest[@]}"
      __code=$?
      ((__code > 128)) || return "$__code"
      __reply=${REPLY-}
    done
    REPLY=$__reply
    return "$__code"
  else
    # shellcheck disable=SC2162 # As its caller wants it.
    builtin read "$@"
  fi
}

# `printf '%(…)T' -1` is the machine's own time, and so is `printf -v NAME '%(…)T' -1`.
printf() {
  if [[ $1 == -v && ${3-} == '%('*')T'* && ${4-} == -1 ]] && sim_time; then
    local REPLY
    machine_time
    # shellcheck disable=SC2059 # The caller's own format.
    builtin printf -v "$2" "$3" "${REPLY%.*}" "${@:5}"
  elif [[ $1 == '%('*')T'* && ${2-} == -1 ]] && sim_time; then
    local REPLY
    machine_time
    # shellcheck disable=SC2059 # The caller's own format.
    builtin printf "$1" "${REPLY%.*}" "${@:3}"
  else
    # shellcheck disable=SC2059
    builtin printf "$@"
  fi
}
