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

# Prints the folder with the packages of the last release's lock.
tools_of_last_release() {
  local last
  last=$(last_release)
  if [[ -z $last ]]; then
    echo 'There is no earlier release: this lock has the only bundler.' >&2
    echo "$PWD"
    return
  fi
  echo "The bundler is that of $last." >&2
  mkdir "$work/last"
  for file in package.json package-lock.json .npmrc; do
    if git cat-file -e "refs/tags/$last:$file" 2>/dev/null; then git show "refs/tags/$last:$file" >"$work/last/$file"; fi
  done
  (cd "$work/last" && npm ci --ignore-scripts) >&2
  echo "$work/last"
}

main() {
  local tools=$PWD names=(tsc ncc) name
  npm ci --ignore-scripts
  case $way in
    this-lock) names+=(node) ;;
    last-lock) tools=$(tools_of_last_release) ;;
    official-node) ;;
    *)
      echo "There is no way $way."
      exit 2
      ;;
  esac
  # These alone: node_modules/.bin has a Node, and whatever else a package puts there.
  mkdir "$work/bin"
  for name in "${names[@]}"; do ln -s "$(realpath "$tools/node_modules/.bin/$name")" "$work/bin/$name"; done
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
