#!/usr/bin/env bash
#
# Says whether a tag may be released: a full version, on the main branch, the commit that is checked
# out, the version of package.json, described in the changelog, with dist as its source makes it.
# Usage: verify-tag.sh TAG [BUILD]     (BUILD writes dist; default "npm run build")
set -euo pipefail

tag=${1:?usage: verify-tag.sh TAG [BUILD]}
build=${2:-npm run build}

refuse() {
  echo "::error title=Not released::$tag: $1"
  exit 1
}

main() {
  [[ $tag =~ ^v([0-9]+)\.([0-9]+)\.([0-9]+)$ ]] || refuse 'is not a full version, such as v1.4.0.'
  local commit version=${tag#v}
  commit=$(git rev-parse --verify --quiet "refs/tags/$tag^{commit}") || refuse 'there is no such tag.'
  [[ $commit == "$(git rev-parse HEAD)" ]] || refuse 'its commit is not the one that is checked out.'
  [[ -z $(git status --porcelain) ]] || refuse 'the work tree is not clean before the build.'
  git merge-base --is-ancestor "$commit" refs/remotes/origin/main || refuse 'its commit is not on the main branch.'
  [[ $(node -p 'require("./package.json").version') == "$version" ]] || refuse "package.json has another version than $version."
  grep -qF "## $tag " CHANGELOG.md || refuse "CHANGELOG.md has no heading \"## $tag (DATE)\"."
  $build
  [[ -z $(git status --porcelain) ]] || refuse 'dist is not what its source makes: run npm run build, commit, tag anew.'
  echo "$tag is $commit, and its dist is fresh."
}

main
