#!/usr/bin/env bash
#
# Reports the GPUs in a job's log. A process queries the driver, and the runner's job-completed hook
# prints the line. This script travels packed in the variable GHR_FIGURES, and work.sh reads it.
#
# Files in GHR_ROOT: figures (what the driver said since a job began) · job-completed.sh

# Sets `value` to a number's whole part, if it is a number and at most MOST: TEXT MOST.
read_whole() {
  [[ $1 =~ ^\ *([0-9]{1,7})(\.[0-9]*)?\ *$ ]] && value=$((10#${BASH_REMATCH[1]})) && ((value <= $2))
}

# Reads the driver's lines, one for each GPU every 5 s: FILE. A value that is no plausible number, such
# as "[N/A]", is not counted.
read_figures() {
  local use memory total temperature power reasons most value
  while IFS=, read -r -n 200 use memory total temperature power reasons; do
    ((samples += 1))
    read_whole "$use" 100 && ((uses += 1, at_use[value] += 1))
    if read_whole "$total" 9999999 && most=$value && read_whole "$memory" "$most"; then
      ((value <= memory_peak)) || memory_peak=$value memory_total=$most
    fi
    read_whole "$temperature" 150 && ((value <= temperature_peak || (temperature_peak = value)))
    read_whole "$power" 5000 && ((value <= power_peak || (power_peak = value)))
    # Slowed down by heat or by a lack of power. A power limit that was set is no fault.
    [[ $reasons =~ ^\ *0x([0-9a-fA-F]{1,16})\ *$ ]] &&
      ((looks += 1, (16#${BASH_REMATCH[1]} & 16#e8) == 0 || (throttled += 1)))
  done <"$1"
}

# Becomes the runner's job-completed hook: FOLDER INSTANCE SETUP. Prints one line on what the GPUs
# did while the job ran; README.md has its format. Makes no process, because the job may have used them
# all up. Never fails, because that would fail the job.
on_job_completed() {
  local began listening now line use sum=0 samples=0 uses=0 at_use=() looks=0 throttled=0
  local memory_peak=-1 memory_total temperature_peak=-1 power_peak=-1
  set +e
  [[ -f $1/accepted && -f $1/listening ]] || exit 0
  read -r began <"$1/accepted"
  read -r listening <"$1/listening"
  # A job may have written anything there.
  [[ "$began $listening" =~ ^[1-9][0-9]{9}\ [1-9][0-9]{9}$ ]] || exit 0
  [[ -f $1/figures ]] && read_figures "$1/figures"
  printf -v now '%(%s)T' -1
  line="The GPUs of instance $2 during this job: setup $3 s"
  ((began >= listening)) && line+=", idle $((began - listening)) s"
  ((now >= began)) && line+=", work $((now - began)) s"
  line+=", samples $samples"
  for use in "${!at_use[@]}"; do
    ((2 * sum < uses && 2 * (sum + at_use[use]) >= uses)) && line+=", median use $use%"
    ((sum += at_use[use]))
  done
  ((uses > 0)) && line+=", peak use $use%"
  ((memory_peak >= 0)) && line+=", peak memory $memory_peak MiB, memory $memory_total MiB"
  ((temperature_peak >= 0)) && line+=", peak temperature $temperature_peak °C"
  ((power_peak >= 0)) && line+=", peak power $power_peak W"
  ((looks > 0)) && line+=", throttled $((100 * throttled / looks))%"
  echo "$line."
  exit 0
}

write_completed_hook() {
  {
    echo '#!/bin/bash'
    declare -f read_whole read_figures on_job_completed
    printf 'on_job_completed %q %q %q\n' "$GHR_ROOT" "$CONTAINER_ID" "$SECONDS"
  } >job-completed.sh
  chmod +x job-completed.sh
}

# Becomes the process that queries the driver every 5 s, for all jobs of this machine. Drivers know the
# reasons by one of two names, and an unknown name is an error.
ask_driver() {
  local query=utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw name
  for name in clocks_throttle_reasons.active clocks_event_reasons.active; do
    if timeout 60 "$(type -p nvidia-smi)" "--query-gpu=$name" --format=csv; then
      query+=,$name
      break
    fi
  done >/dev/null
  exec nvidia-smi "--query-gpu=$query" --format=csv,noheader,nounits -l 5
} 2>/dev/null

# Starts that process, which ends with the work, and makes the runners call the hook. Each job begins
# the file anew.
start_figures() {
  write_completed_hook
  export ACTIONS_RUNNER_HOOK_JOB_COMPLETED=$GHR_ROOT/job-completed.sh
  ask_driver >>figures &
  asking=$!
  # Bash would report that it was killed.
  disown
  # An interrupt of the whole group ends it first.
  trap 'stay; kill "$asking" 2>/dev/null || :' EXIT
}
