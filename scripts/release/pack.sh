#!/usr/bin/env bash
#
# Packs what users of a release run, byte for byte the same wherever and whenever.
# Usage: pack.sh TAG FOLDER
set -euo pipefail

tag=${1:?usage: pack.sh TAG FOLDER}
folder=${2:?usage: pack.sh TAG FOLDER}

mkdir -p "$folder"
git archive --format=tar "--prefix=ephemeral-gpu-runner-$tag/" "refs/tags/$tag" action.yml sweep dist LICENSE |
  gzip -9n >"$folder/ephemeral-gpu-runner-$tag.tar.gz"
# setup.tgz lies there already: the job that has the packages made it.
(cd "$folder" && shopt -s nullglob && sha256sum "ephemeral-gpu-runner-$tag.tar.gz" setup.tg[z] >SHA256SUMS)
cat "$folder/SHA256SUMS"
