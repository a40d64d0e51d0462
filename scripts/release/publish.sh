#!/usr/bin/env bash
#
# Makes the release of a tag with the files of a folder, and fails where the platform lets it be
# changed afterwards, or where the tag is not GITHUB_SHA any more: before the plain tag moves. Needs
# gh, GH_TOKEN and GITHUB_SHA.
# Usage: publish.sh TAG FOLDER
set -euo pipefail

tag=${1:?usage: publish.sh TAG FOLDER}
folder=${2:?usage: publish.sh TAG FOLDER}

main() {
  local notes
  scripts/release/same-tag.sh "$tag"
  notes=$(scripts/release/notes.sh "$tag")
  gh release create "$tag" --verify-tag --title "$tag" --notes "$notes" "$folder"/*
  [[ $(gh api "repos/$GITHUB_REPOSITORY/releases/tags/$tag" --jq .immutable) == true ]] || {
    echo "::error title=Not immutable::$tag is released, but can be changed. The plain tag was not moved. Enable release immutability (General, Releases), and release the next version."
    exit 1
  }
  # From here on the tag can't move: what it is now, it stays.
  scripts/release/same-tag.sh "$tag" "The release of $tag has the files of $GITHUB_SHA, and its tag is another commit: delete the release. The plain tag was not moved."
}

main
