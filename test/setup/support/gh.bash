#!/usr/bin/env bash
# A stand-in for GitHub's command line, as far as set-up uses it. It writes down its words, which everybody on a
# machine can read. Only what seals a secret needs Node, whose start takes ten times as long as this script.
set -u
printf '%s\n' "$*" >>"$GH_STANDIN_LOG"

# Asks `curl OPTIONS`; as gh does: prints the answer whatever it says, and one line on standard error.
ask() {
  local answer status
  answer=$(curl --silent --noproxy '*' --header "authorization: token $GH_TOKEN" --write-out '\n%{http_code}' "$@")
  status=${answer##*$'\n'} answer=${answer%$'\n'*}
  printf '%s' "$answer"
  ((status >= 400 || status == 0)) || return 0
  [[ $answer =~ \"message\":\"([^\"]*)\" ]]
  printf 'gh: %s (HTTP %s)\n' "${BASH_REMATCH[1]-}" "$status" >&2
  return 1
}

# Asks `api WORDS`: with the standard input as the body where the words say so.
api() {
  local method=GET path='' body=()
  while (($# > 0)); do
    case $1 in
      --hostname) shift ;;
      -X) method=$2 && shift ;;
      --input) body=(--header 'content-type: application/json' --data-binary @-) && shift ;;
      *) path=$1 ;;
    esac
    shift
  done
  ask --request "$method" "${body[@]}" "$GH_STANDIN_URL/$path"
}

case $1${2+ $2} in
  --version) echo 'gh version 2.102.0' ;;
  'auth status') ask "$GH_STANDIN_URL/user" >/dev/null ;;
  api\ *) api "${@:2}" ;;
  'secret set') exec "$GH_STANDIN_NODE" "${0%/*}/gh-secret.ts" "${@:3}" ;;
  *) echo "The stand-in has no gh $*" >&2 && exit 2 ;;
esac
