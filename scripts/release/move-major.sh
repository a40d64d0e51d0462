#!/usr/bin/env bash
#
# Moves the plain tag of the major version (v1) to the commit that was verified and released, never
# back. It has no release, because the tag of an immutable release can't move. Needs GITHUB_SHA.
# Usage: move-major.sh TAG
set -euo pipefail

tag=${1:?usage: move-major.sh TAG}

main() {
  [[ $tag =~ ^(v[0-9]+)\.[0-9]+\.[0-9]+$ ]] || { echo "::error::$tag is not a full version."; exit 1; }
  local major=${BASH_REMATCH[1]} newest
  git fetch --quiet --tags --force origin
  scripts/release/same-tag.sh "$tag" 'The plain tag was not moved.'
  newest=$(git tag --list "$major.*.*" --sort=-version:refname | head -n 1)
  if [[ $newest != "$tag" ]]; then
    echo "$major stays where it is: $newest is newer than $tag."
    exit 0
  fi
  # The commit itself: a name could mean another one by now.
  git push --quiet --force origin "$GITHUB_SHA:refs/tags/$major"
  scripts/release/same-tag.sh "$tag" "$major is $GITHUB_SHA now, as verified."
  echo "$major is $tag now."
}

main
