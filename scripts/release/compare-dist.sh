#!/usr/bin/env bash
#
# Says which files of dist are not what was just built, and what to do.
set -euo pipefail

stale=$(git status --porcelain --untracked-files=all -- dist)
[[ -z $stale ]] && exit 0
echo "$stale"
echo "::error title=dist is stale::$(wc -l <<<"$stale") file(s) of dist are not what this source makes: npm run build, and commit them."
exit 1
