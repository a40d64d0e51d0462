#!/usr/bin/env bash
# Ends the machines of a simulator that died, even of kill -9: waits until its input is closed, then
# kills whatever has TAG in an environment variable, and removes FOLDER.
# Usage: keeper.bash TAG FOLDER
set -u
tag=$1 folder=$2

read -r _
for ((round = 0; round < 100; round++)); do
  pids=()
  for environ in /proc/[0-9]*/environ; do
    if grep --quiet --no-messages --null-data --fixed-strings -- "$tag" "$environ"; then
      pid=${environ#/proc/}
      pids+=("${pid%/environ}")
    fi
  done
  ((${#pids[@]} > 0)) || break
  kill -KILL "${pids[@]}" 2>/dev/null
  sleep 0.1
done
rm -rf -- "$folder"
