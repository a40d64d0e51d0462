#!/usr/bin/env bash
#
# Packs what users of a release run, byte for byte the same wherever and whenever, beside the setup.tgz
# that lies there, and lists the packages of the lock: those in it, and those that made it.
# Usage: pack.sh TAG FOLDER DIGEST     (DIGEST: the SHA-256 of setup.tgz on which the builds agreed)
set -euo pipefail

tag=${1:?usage: pack.sh TAG FOLDER DIGEST}
folder=${2:?usage: pack.sh TAG FOLDER DIGEST}
digest=${3:?usage: pack.sh TAG FOLDER DIGEST}
name=ephemeral-gpu-runner-$tag

main() {
  # Any job of the run could have replaced the artifact.
  echo "$digest  $folder/setup.tgz" | sha256sum --check --status || {
    echo '::error title=Not released::setup.tgz is not what the builds agreed on.'
    exit 1
  }
  git archive --format=tar "--prefix=$name/" "refs/tags/$tag" action.yml sweep dist LICENSE | gzip -9n >"$folder/$name.tar.gz"
  npm sbom --package-lock-only --sbom-format=cyclonedx |
    jq '.metadata.component.name = "ephemeral-gpu-runner"' >"$folder/$name.cdx.json"
  (cd "$folder" && sha256sum "$name.tar.gz" "$name.cdx.json" setup.tgz >SHA256SUMS)
  cat "$folder/SHA256SUMS"
}

main
