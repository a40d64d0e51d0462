#!/usr/bin/env bash
# A stand-in for GitHub's command line, as far as set-up uses it. It writes down its words, which everybody on a
# machine can read.
set -u
printf '%s\n' "$*" >>"$GH_STANDIN_LOG"

# Asks `curl OPTIONS`; as gh does: prints the answer whatever it says, and one line on standard error.
ask() {
  local answer status
  answer=$(curl --silent --location --noproxy '*' --header "authorization: token $GH_TOKEN" --write-out '\n%{http_code}' "$@")
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

# Sets the secret that stands on the standard input: `secret set NAME -R REPOSITORY [--env ENVIRONMENT]`.
set_secret() {
  local name=$1 repository=$3 base key sealed
  if [[ ${4-} == --env ]]; then base=environments/$5; else base=actions; fi
  base=$GH_STANDIN_URL/repos/$repository/$base/secrets
  key=$(ask "$base/public-key") || return
  [[ $key =~ \"key\":\"([^\"]*)\" ]]
  sealed=$(curl --silent --noproxy '*' --header "key: ${BASH_REMATCH[1]}" --data-binary @- "$GH_STANDIN_SEALER")
  [[ $key =~ \"key_id\":\"([^\"]*)\" ]]
  ask --request PUT --data "{\"encrypted_value\":\"$sealed\",\"key_id\":\"${BASH_REMATCH[1]}\"}" "$base/$name"
}

case $1${2+ $2} in
  --version) echo 'gh version 2.102.0' ;;
  'auth status') ask "$GH_STANDIN_URL/user" >/dev/null ;;
  api\ *) api "${@:2}" ;;
  'secret set') set_secret "${@:3}" ;;
  *) echo "The stand-in has no gh $*" >&2 && exit 2 ;;
esac
