#!/usr/bin/env bash
#
# Lists a repository's remains on an account, and fails when there are any.
# Needs API_KEY and REPOSITORY_ID; API_URL for another service.
set -euo pipefail

main() {
  local answer left
  answer=$(printf 'header = "Authorization: Bearer %s"' "$API_KEY" |
    curl -fsS --max-time 30 -K - "${API_URL:-https://console.vast.ai}/api/v0/instances/")
  # shellcheck disable=SC2016 # the braces are JavaScript's
  left=$(node -e '
    const { instances } = JSON.parse(require("node:fs").readFileSync(0));
    if (!Array.isArray(instances)) throw new Error("no list of instances");
    const ours = instances.filter(({ label }) => String(label ?? "").startsWith(`ghr1.${process.argv[1]}.`));
    console.log(ours.map(({ id, label }) => `${id} ${label}`).join("\n"));
  ' "$REPOSITORY_ID" <<<"$answer")
  [[ -z $left ]] && { echo 'still billing: 0 instances'; return; }
  echo "$left"
  echo "::error title=Still billing::$(wc -l <<<"$left") instance(s) of this repository are left; destroy them in the console."
  return 1
}

main
