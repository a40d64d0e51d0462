#!/usr/bin/env bash
#
# Says whether the repository's environments are protected as docs/internals/releasing.md asks: `release` waits
# for a reviewer, and so do `e2e` and `prober`, which also admit the main branch alone, because they
# hold a token that administers the repository. Those two may be missing.
# Needs gh, GH_TOKEN (actions: read) and GITHUB_REPOSITORY. Usage: environments.sh
set -euo pipefail

refuse() {
  echo "::error title=Not released::The environment $1 (docs/internals/releasing.md, \"Once, in the repository's settings\")."
  exit 1
}

ask() {
  gh api "repos/$GITHUB_REPOSITORY/environments/$1"
}

must_have_reviewer() {
  jq -e '[.protection_rules[]? | select(.type == "required_reviewers") | .reviewers[]?] | length > 0' <<<"$2" >/dev/null ||
    refuse "$1 has no required reviewer"
}

must_admit_main_alone() {
  local policies
  jq -e '.deployment_branch_policy.custom_branch_policies == true' <<<"$2" >/dev/null || refuse "$1 must admit main alone"
  policies=$(ask "$1/deployment-branch-policies") || refuse "$1 can't be read"
  jq -e '[.branch_policies[] | [.name, .type // "branch"]] == [["main", "branch"]]' <<<"$policies" >/dev/null ||
    refuse "$1 must admit main alone"
}

main() {
  local name answer errors
  answer=$(ask release) || refuse "release can't be read"
  must_have_reviewer release "$answer"
  errors=$(mktemp)
  for name in e2e prober; do
    if answer=$(ask "$name" 2>"$errors"); then
      must_have_reviewer "$name" "$answer"
      must_admit_main_alone "$name" "$answer"
    elif grep -q 'HTTP 404' "$errors"; then
      echo "There is no environment $name."
    else
      cat "$errors"
      refuse "$name can't be read"
    fi
  done
}

main
