#!/usr/bin/env bash
# The first process of a container: runs the onstart, then stays, as a rented machine's ssh server.
# By its session processes are found that cleaned their environment (tagged-processes.ts).
# Nobody knows how a service starts an onstart: every other machine is started by &, which makes all
# of it ignore SIGINT.
# Usage: container.bash ONSTART SLEEP
instance=${SIM_MACHINE%/}
if ((${instance##*/} % 2)); then
  bash "$1" &
  wait "$!"
else
  bash "$1"
fi
exec "$2" infinity
