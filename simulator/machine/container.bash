#!/usr/bin/env bash
# The first process of a container: runs the onstart, then stays, as a rented machine's ssh server.
# By its session processes are found that cleaned their environment (tagged-processes.ts).
# Usage: container.bash ONSTART SLEEP
bash "$1"
exec "$2" infinity
