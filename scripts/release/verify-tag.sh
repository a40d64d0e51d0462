#!/usr/bin/env bash
#
# Says whether a tag may be released: a full version, signed by a maintainer, on the main branch, the
# commit that is checked out, by main's own release.yml, the version of package.json, described in the
# changelog. Sets the output bundler: "changed" where the tag's message has the line "Bundler: changed".
# Usage: verify-tag.sh TAG
set -euo pipefail

tag=${1:?usage: verify-tag.sh TAG}
here=$(dirname "${BASH_SOURCE[0]}")
main=refs/remotes/origin/main

refuse() {
  echo "::error title=Not released::$tag: $1"
  exit 1
}

main() {
  [[ $tag =~ ^v([0-9]+)\.([0-9]+)\.([0-9]+)$ ]] || refuse 'is not a full version, such as v1.4.0.'
  local commit version=${tag#v} bundler=''
  "$here/signed-tag.sh" "$tag"
  commit=$(git rev-parse --verify --quiet "refs/tags/$tag^{commit}") || refuse 'it is no tag of a commit.'
  [[ $commit == "$(git rev-parse HEAD)" ]] || refuse 'its commit is not the one that is checked out.'
  [[ -z $(git status --porcelain) ]] || refuse 'the work tree is not clean.'
  git merge-base --is-ancestor "$commit" "$main" || refuse 'its commit is not on the main branch.'
  git diff --quiet "$main" "$commit" -- .github/workflows/release.yml ||
    refuse "its release.yml is not main's, and the tag's own runs: tag a newer commit."
  [[ $(jq -r .version package.json) == "$version" ]] || refuse "package.json has another version than $version."
  grep -qF "## $tag " CHANGELOG.md || refuse "CHANGELOG.md has no heading \"## $tag (DATE)\"."
  if git for-each-ref --format='%(contents)' "refs/tags/$tag" | grep -qx 'Bundler: changed'; then bundler=changed; fi
  echo "bundler=$bundler" >>"$GITHUB_OUTPUT"
  echo "$tag is $commit, and a maintainer signed it."
}

main
