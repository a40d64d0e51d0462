#!/usr/bin/env bash
#
# Says whether a tag still is the commit that this run was started for and verified: here, and at
# the remote, where it may be moved at any moment. Usage: same-tag.sh TAG [WHAT IS DONE ALREADY]
set -euo pipefail

tag=${1:?usage: same-tag.sh TAG}
meanwhile=${2:-Nothing was published.}
verified=${GITHUB_SHA:?the commit that was verified}

refuse() {
  echo "::error title=The tag is not what was verified::$tag $1, but $verified was verified. $meanwhile Find out who moved it, and release the next version."
  exit 1
}

# The commit of a tag at the remote, without asking what is fetched: an annotated tag by its peeled line.
remote_commit() {
  git ls-remote origin "refs/tags/$tag" "refs/tags/$tag^{}" | sort -k 2 | tail -n 1 | cut -f 1
}

main() {
  local here remote
  here=$(git rev-parse --verify --quiet "refs/tags/$tag^{commit}") || here=nothing
  [[ $here == "$verified" ]] || refuse "is $here in this clone"
  [[ $(git rev-parse HEAD) == "$verified" ]] || refuse "was checked out as $(git rev-parse HEAD)"
  remote=$(remote_commit)
  [[ $remote == "$verified" ]] || refuse "is ${remote:-nothing} at the remote"
}

main
