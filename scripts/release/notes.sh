#!/usr/bin/env bash
#
# The changelog's section of a version, as the text of its release. Usage: notes.sh TAG
set -euo pipefail

tag=${1:?usage: notes.sh TAG}

awk -v heading="## $tag " 'index($0, heading) == 1 { inside = 1; next } inside && /^## / { exit } inside' CHANGELOG.md
echo "Verify it: \`gh attestation verify ephemeral-gpu-runner-$tag.tar.gz -R $GITHUB_REPOSITORY\`."
