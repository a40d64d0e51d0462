#!/usr/bin/env bash
# Ends the machines of a simulator that died, even of kill -9: waits until its input is closed, then
# kills whatever has TAG in an environment variable, and removes FOLDER.
# Usage: keeper.bash TAG FOLDER
set -u
tag=$1 folder=$2

read -r _
for ((round = 0; round < 100; round++)); do
  # One grep for all: every world ends with it, and a process for each would be most of its cost.
  mapfile -t environs < <(grep --files-with-matches --no-messages --null-data --fixed-strings -- "$tag" /proc/[0-9]*/environ)
  ((${#environs[@]} > 0)) || break
  kill -KILL "${environs[@]//[!0-9]/}" 2>/dev/null
  sleep 0.1
done
rm -rf -- "$folder"
