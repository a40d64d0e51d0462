#!/usr/bin/env bash
#
# Says whether a maintainer signed a tag: one whose SSH key is in .github/allowed_signers of the
# remote's main branch. Fetches both anew, because actions/checkout leaves a tag without its
# signature. Usage: signed-tag.sh TAG
set -euo pipefail

tag=${1:?usage: signed-tag.sh TAG}
main=refs/remotes/origin/main
signers=$(mktemp)
trap 'rm -f "$signers"' EXIT

refuse() {
  echo "::error title=Not a maintainer's tag::$tag $1"
  exit 1
}

main() {
  local verify said
  git fetch --quiet --force --no-tags origin "+refs/heads/main:$main" "+refs/tags/$tag:refs/tags/$tag" ||
    refuse 'is no such tag at the remote, or it has no main branch.'
  [[ $(git cat-file -t "refs/tags/$tag") == tag ]] || refuse 'is not signed: git tag -s.'
  # Whoever may push tags could push an older tag's signature under this name.
  [[ $(git for-each-ref --format='%(tag)' "refs/tags/$tag") == "$tag" ]] ||
    refuse "names itself $(git for-each-ref --format='%(tag)' "refs/tags/$tag"): a signature of another tag."
  git cat-file tag "refs/tags/$tag" | grep -q '^-----BEGIN SSH SIGNATURE-----$' || refuse 'is not signed by an SSH key.'
  git show "$main:.github/allowed_signers" >"$signers" || refuse "can't be judged: main has no .github/allowed_signers."
  verify=(-c "gpg.ssh.allowedSignersFile=$signers" -c gpg.ssh.program=ssh-keygen -c gpg.minTrustLevel=fully)
  if ! said=$(git "${verify[@]}" verify-tag --raw "refs/tags/$tag" 2>&1) || [[ $said != *'Good "git" signature for '* ]]; then
    refuse "is signed by no maintainer of .github/allowed_signers on main: $said"
  fi
}

main
