# shellcheck shell=bash
# Simulated time, by SIM_FACTOR_MICRO, SIM_ORIGIN_US, SIM_LIVED_FILE and SIM_CLOCK_OFFSET_US of
# settings.bash.

# Turns a duration of sleep and timeout ("1.5h") into REPLY, in microseconds; fails for others.
to_microseconds() {
  [[ $1 =~ ^([0-9]*)(\.([0-9]*))?([smhd]?)$ && -n ${BASH_REMATCH[1]}${BASH_REMATCH[3]} ]] || return 1
  local whole=${BASH_REMATCH[1]:-0} fraction=${BASH_REMATCH[3]}000000 unit=1
  case ${BASH_REMATCH[4]} in m) unit=60 ;; h) unit=3600 ;; d) unit=86400 ;; esac
  REPLY=$(((10#$whole * 1000000 + 10#${fraction:0:6}) * unit))
}

# Turns microseconds of simulated time into REPLY, in real ones.
to_real_microseconds() {
  # Quotient and rest apart, as the product of a very long sleep does not fit 64 bits.
  # shellcheck disable=SC2017
  REPLY=$(($1 / SIM_FACTOR_MICRO * 1000000 + $1 % SIM_FACTOR_MICRO * 1000000 / SIM_FACTOR_MICRO + 1))
}

# Turns a simulated duration into REPLY, in real seconds. Other texts are the command's to judge.
to_real_duration() {
  to_microseconds "$1" || { REPLY=$1; return; }
  # 0 has a meaning of its own for timeout: no limit.
  ((REPLY > 0)) || return 0
  to_real_microseconds "$REPLY"
  printf -v REPLY '%d.%06d' $((REPLY / 1000000)) $((REPLY % 1000000))
}

# Sets REPLY to the real time, in microseconds, less what was lost (clock/lived-time.ts).
lived_time() {
  # The decimal point follows the locale.
  local real_us=${EPOCHREALTIME/[.,]/} seen_us lost_us
  # The file is gone when the world has just ended.
  { IFS=' ' builtin read -r seen_us lost_us <"$SIM_LIVED_FILE"; } 2>/dev/null || seen_us=$real_us lost_us=0
  local held_us=$((10#$seen_us + 40000))
  REPLY=$(((real_us < held_us ? real_us : held_us) - 10#$lost_us))
}

# Sets REPLY to when a simulated duration from now on will be over, for left_until.
due_after() {
  to_microseconds "$1" || return
  to_real_microseconds "$REPLY"
  local duration=$REPLY
  lived_time
  REPLY=$((REPLY + duration))
}

# Sets REPLY to the real seconds until then if no more time is lost; fails when it is over.
left_until() {
  lived_time
  REPLY=$(($1 - REPLY))
  ((REPLY > 0)) || return
  # While time stands still nobody asks without a pause.
  ((REPLY > 5000)) || REPLY=5000
  printf -v REPLY '%d.%06d' $((REPLY / 1000000)) $((REPLY % 1000000))
}

# Sets REPLY to the machine's own time, in seconds with a fraction.
machine_time() {
  lived_time
  # By milliseconds, so that the product fits 64 bits for years.
  # shellcheck disable=SC2017
  local now_us=$((SIM_ORIGIN_US + (REPLY - SIM_ORIGIN_US) / 1000 * SIM_FACTOR_MICRO / 1000 + SIM_CLOCK_OFFSET_US))
  printf -v REPLY '%d.%06d' $((now_us / 1000000)) $((now_us % 1000000))
}
