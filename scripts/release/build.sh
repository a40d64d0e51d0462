#!/usr/bin/env bash
#
# Makes dist and setup.tgz by one of three ways, which differ in what runs, and sets the outputs dist
# and setup: their digests. No script of a package runs, and of the packages only compiler and bundler.
#
#   this-lock       compiler, bundler and Node of this lock
#   last-lock       compiler and bundler of the last release's lock, and the Node on PATH
#   official-node   compiler and bundler of this lock, and the Node on PATH
#
# Needs GITHUB_REPOSITORY, GITHUB_SHA and GITHUB_OUTPUT. Usage: build.sh WAY TAG FOLDER
set -euo pipefail

way=${1:?usage: build.sh WAY TAG FOLDER}
tag=${2:?usage: build.sh WAY TAG FOLDER}
folder=${3:?usage: build.sh WAY TAG FOLDER}
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Compiler and bundler, all that they need included (test/repo/release-builds.test.ts).
TOOLS=(typescript @typescript @vercel/ncc .bin/tsc .bin/ncc)

# The newest release before this one in its history; nothing for the first.
last_release() {
  local name
  while read -r name; do
    if [[ $name =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ && $name != "$tag" ]]; then
      echo "$name"
      return
    fi
  done < <(git tag --list --merged "$GITHUB_SHA" --sort=-version:refname)
}

# Puts compiler and bundler of the last release's lock in the place of this lock's. It must be the same
# place, because the bundler's own path decides the names of what it makes.
take_last_tools() {
  local last name
  last=$(last_release)
  if [[ -z $last ]]; then
    echo 'There is no earlier release: this lock has the only bundler.'
    return
  fi
  echo "Compiler and bundler are those of $last."
  mkdir "$work/last"
  for name in package.json package-lock.json; do git show "refs/tags/$last:$name" >"$work/last/$name"; done
  (cd "$work/last" && npm ci --ignore-scripts)
  for name in "${TOOLS[@]}"; do
    rm -rf "node_modules/$name"
    cp -a "$work/last/node_modules/$name" "node_modules/$name"
  done
}

main() {
  local programs=(tsc ncc) name
  npm ci --ignore-scripts
  case $way in
    this-lock) programs+=(node) ;;
    last-lock) take_last_tools ;;
    official-node) ;;
    *)
      echo "There is no way $way."
      exit 2
      ;;
  esac
  # These alone: node_modules/.bin has a Node, and whatever else a package puts there.
  mkdir "$work/bin"
  for name in "${programs[@]}"; do ln -s "$(realpath "node_modules/.bin/$name")" "$work/bin/$name"; done
  PATH=$work/bin:$PATH
  rm -rf dist
  node scripts/build.mjs
  node scripts/pack-setup.mjs "$folder" "$GITHUB_REPOSITORY" "$GITHUB_SHA"
  {
    echo "dist=$("$here/digest.sh" dist)"
    echo "setup=$(sha256sum "$folder/setup.tgz" | cut -d ' ' -f 1)"
  } >>"$GITHUB_OUTPUT"
}

main
