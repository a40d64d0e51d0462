#!/usr/bin/env bash
#
# Moves the plain tag of the major version (v1) to a release, never back. A maintainer runs it, because
# the ruleset for tags can't admit a workflow's token. Looks first whether the release is immutable and
# its tag a maintainer's: then the tag is what was verified, for ever. The plain tag has no release,
# because the tag of an immutable release can't move. Needs gh. Usage: move-major.sh TAG
set -euo pipefail

tag=${1:?usage: move-major.sh TAG}
here=$(dirname "${BASH_SOURCE[0]}")

main() {
  [[ $tag =~ ^(v[0-9]+)\.[0-9]+\.[0-9]+$ ]] || { echo "::error::$tag is not a full version."; exit 1; }
  local major=${BASH_REMATCH[1]} newest commit
  [[ $(gh api "repos/{owner}/{repo}/releases/tags/$tag" --jq .immutable) == true ]] || {
    echo "::error::The release of $tag is not immutable, or there is none. The plain tag was not moved."
    exit 1
  }
  git fetch --quiet --tags --force origin
  "$here/signed-tag.sh" "$tag"
  commit=$(git rev-parse "refs/tags/$tag^{commit}")
  newest=$(git tag --list "$major.*.*" --sort=-version:refname | head -n 1)
  if [[ $newest != "$tag" ]]; then
    echo "$major stays where it is: $newest is newer than $tag."
    exit 0
  fi
  # The commit itself: the plain tag of this clone could be another one.
  git push --quiet --force origin "$commit:refs/tags/$major"
  echo "$major is $tag now."
}

main
