# shellcheck shell=bash
# Simulated time, by SIM_FACTOR_MICRO, SIM_ORIGIN_US and SIM_CLOCK_OFFSET_US of settings.bash.

# Turns a duration of sleep and timeout ("1.5h") into REPLY, in microseconds; fails for others.
to_microseconds() {
  [[ $1 =~ ^([0-9]*)(\.([0-9]*))?([smhd]?)$ && -n ${BASH_REMATCH[1]}${BASH_REMATCH[3]} ]] || return 1
  local whole=${BASH_REMATCH[1]:-0} fraction=${BASH_REMATCH[3]}000000 unit=1
  case ${BASH_REMATCH[4]} in m) unit=60 ;; h) unit=3600 ;; d) unit=86400 ;; esac
  REPLY=$(((10#$whole * 1000000 + 10#${fraction:0:6}) * unit))
}

# Turns a simulated duration into REPLY, in real seconds. Other texts are the command's to judge.
to_real_duration() {
  to_microseconds "$1" || { REPLY=$1; return; }
  # 0 has a meaning of its own for timeout: no limit.
  ((REPLY > 0)) || return 0
  # Quotient and rest apart, as the product of a very long sleep does not fit 64 bits.
  # shellcheck disable=SC2017
  local real=$((REPLY / SIM_FACTOR_MICRO * 1000000 + REPLY % SIM_FACTOR_MICRO * 1000000 / SIM_FACTOR_MICRO + 1))
  printf -v REPLY '%d.%06d' $((real / 1000000)) $((real % 1000000))
}

# Sets REPLY to the machine's own time, in seconds with a fraction.
machine_time() {
  # The decimal point follows the locale.
  local real_us=${EPOCHREALTIME/[.,]/}
  # By milliseconds, so that the product fits 64 bits for years.
  # shellcheck disable=SC2017
  local now_us=$((SIM_ORIGIN_US + (real_us - SIM_ORIGIN_US) / 1000 * SIM_FACTOR_MICRO / 1000 + SIM_CLOCK_OFFSET_US))
  printf -v REPLY '%d.%06d' $((now_us / 1000000)) $((now_us % 1000000))
}
