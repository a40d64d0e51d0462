#!/usr/bin/env bash
# The first process of a machine's container: runs the onstart, then stays, as the ssh server does on a rented machine.
# It keeps the session alive by which processes are found that cleaned their environment (tagged-processes.ts).
# Usage: container.bash ONSTART SLEEP
bash "$1"
exec "$2" infinity
