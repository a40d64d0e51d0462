#!/usr/bin/env bash
#
# Compares what the three builds handed on (build.sh) with each other and with dist as it is committed,
# and hands on the digest of setup.tgz. Only a new bundler may make other bytes than the last release's,
# where a maintainer said so in the signed tag. Needs BUILDS: the outputs of the jobs, as JSON.
set -euo pipefail

: "${BUILDS:?the outputs of the jobs}"
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

refuse() {
  echo "::error title=Not released::$1"
  exit 1
}

output() {
  jq -r --arg job "$1" --arg name "$2" '.[$job].outputs[$name] // ""' <<<"$BUILDS"
}

# Says whether a way made the bytes of this-lock.
agree() {
  local way=$1 name=$2
  [[ $(output "$way" "$name") != "$(output this-lock "$name")" ]] || return 0
  if [[ $way == last-lock && $(output verify bundler) == changed ]]; then
    echo "::warning title=The bundler changed::last-lock made another $name, and the tag says so: Bundler: changed."
    return 0
  fi
  refuse "$way made another $name than this-lock. One of the tools that only one of them ran changes what it makes. Read both (docs/internals/releasing.md, \"When the builds differ\")."
}

main() {
  local way name
  for way in this-lock last-lock official-node; do
    for name in dist setup; do
      [[ $(output "$way" "$name") =~ ^[0-9a-f]{64}$ ]] || refuse "$way handed on nothing for $name."
      agree "$way" "$name"
    done
  done
  git archive HEAD dist | tar -x -C "$work"
  [[ $("$here/digest.sh" "$work/dist") == "$(output this-lock dist)" ]] ||
    refuse 'dist is not what its source makes: npm run build, commit, and release the next version.'
  echo "setup=$(output this-lock setup)" >>"$GITHUB_OUTPUT"
}

main
