#!/usr/bin/env bash
#
# Lists a repository's remains on an account, and fails when there are any.
# Needs API_KEY and REPOSITORY_ID; API_URL for another service.
set -euo pipefail

main() {
  local answer left
  answer=$(curl -fsS --max-time 30 -H "Authorization: Bearer $API_KEY" "${API_URL:-https://console.vast.ai}/api/v0/instances/")
  # shellcheck disable=SC2016 # the braces are JavaScript's
  left=$(node -e '
    const { instances } = JSON.parse(process.argv[1]);
    if (!Array.isArray(instances)) throw new Error("no list of instances");
    const ours = instances.filter(({ label }) => String(label ?? "").startsWith(`ghr1.${process.argv[2]}.`));
    console.log(ours.map(({ id, label }) => `${id} ${label}`).join("\n"));
  ' "$answer" "$REPOSITORY_ID")
  [[ -z $left ]] && { echo 'still billing: 0 instances'; return; }
  echo "$left"
  echo "::error title=Still billing::$(wc -l <<<"$left") instance(s) of this repository are left; destroy them in the console."
  return 1
}

main
