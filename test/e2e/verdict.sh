#!/usr/bin/env bash
#
# Compares this attempt's jobs with their expected ends, on stdin: CONCLUSION NAME, a line each.
# Needs gh and GH_TOKEN.
set -euo pipefail

main() {
  local path=repos/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID/attempts/$GITHUB_RUN_ATTEMPT/jobs jobs expected name actual wrong=0
  jobs=$(gh api --paginate "$path?per_page=100" --jq '.jobs[] | (.conclusion // "open") + "\t" + .name')
  while read -r expected name; do
    [[ -n $expected ]] || continue
    actual=$(awk -F '\t' -v name="$name" '$2 == name { print $1 }' <<<"$jobs")
    if [[ $actual == "$expected" ]]; then
      echo "ok      $name: $actual"
    else
      echo "::error title=$name::$name is ${actual:-not there}, and should be $expected."
      wrong=1
    fi
  done
  return "$wrong"
}

main
