#!/usr/bin/env bash
#
# Moves the plain tag of the major version (v1) to a released full version's commit, never back. It
# has no release, because the tag of an immutable release can't move.
# Usage: move-major.sh TAG
set -euo pipefail

tag=${1:?usage: move-major.sh TAG}

main() {
  [[ $tag =~ ^(v[0-9]+)\.[0-9]+\.[0-9]+$ ]] || { echo "::error::$tag is not a full version."; exit 1; }
  local major=${BASH_REMATCH[1]} newest
  git fetch --quiet --tags --force origin
  newest=$(git tag --list "$major.*.*" --sort=-version:refname | head -n 1)
  if [[ $newest != "$tag" ]]; then
    echo "$major stays where it is: $newest is newer than $tag."
    exit 0
  fi
  git tag --force "$major" "refs/tags/$tag^{commit}" >/dev/null
  git push --quiet --force origin "refs/tags/$major"
  echo "$major is $tag now."
}

main
