#!/usr/bin/env bash
#
# Makes the release of a tag with the files of a folder, and fails where the platform lets it be
# changed afterwards, or where the tag is not GITHUB_SHA any more. Nobody can ask before: the setting is
# shown to administrators alone. Needs gh, GH_TOKEN and GITHUB_SHA.
# Usage: publish.sh TAG FOLDER
set -euo pipefail

tag=${1:?usage: publish.sh TAG FOLDER}
folder=${2:?usage: publish.sh TAG FOLDER}
here=$(dirname "${BASH_SOURCE[0]}")

main() {
  local notes
  "$here/same-tag.sh" "$tag"
  notes=$("$here/notes.sh" "$tag")
  gh release create "$tag" --verify-tag --title "$tag" --notes "$notes" "$folder"/*
  [[ $(gh api "repos/$GITHUB_REPOSITORY/releases/tags/$tag" --jq .immutable) == true ]] || {
    echo "::error title=Not immutable::$tag is released, but can be changed. Don't move the plain tag. Enable release immutability (General, Releases), and release the next version."
    exit 1
  }
  # From here on the tag can't move: what it is now, it stays.
  "$here/same-tag.sh" "$tag" "The release of $tag has the files of $GITHUB_SHA, and its tag is another commit: delete the release."
}

main
