#!/usr/bin/env bash
#
# Names each line of the remote's main branch that still has the placeholder for the account: who must
# look at a change, who may sign, and where reports go. README and docs get the account's name with the
# first release (pin-docs.mjs). An account of the placeholder's name exists. Usage: placeholders.sh
set -euo pipefail

main=refs/remotes/origin/main
FILES=(.github/CODEOWNERS .github/allowed_signers SECURITY.md)

main() {
  local file found=''
  git fetch --quiet --no-tags origin "+refs/heads/main:$main"
  for file in "${FILES[@]}"; do
    git cat-file -e "$main:$file" 2>/dev/null || {
      echo "::error title=Not released::$file is not there on main."
      exit 1
    }
  done
  found=$(git grep -nw OWNER "$main" -- "${FILES[@]}" | sed "s,^$main:,,") || true
  [[ -n $found ]] || exit 0
  echo "$found"
  echo "::error title=Not released::$(wc -l <<<"$found") line(s) of main have a placeholder in place of the account's name (docs/internals/releasing.md, \"Once, in the files\")."
  exit 1
}

main
