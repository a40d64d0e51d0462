#!/usr/bin/env bash
#
# Opens a pull request in which README and docs name the commit of a release, GITHUB_SHA.
# Usage: open-docs-pull-request.sh TAG
set -euo pipefail

tag=${1:?usage: open-docs-pull-request.sh TAG}
branch=docs-$tag
here=$(dirname "${BASH_SOURCE[0]}")

commit=${GITHUB_SHA:?the commit that was released}
node "$here/pin-docs.mjs" "$commit" "$tag"
if git diff --quiet; then
  echo "The pages name $tag already."
  exit 0
fi
git switch --quiet --create "$branch"
git -c user.name='github-actions[bot]' -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
  commit --quiet --all --message "README and docs name $tag"
git push --quiet --force origin "$branch"
gh pr create --base main --head "$branch" --title "README and docs name $tag" --body "The commit of $tag is $commit. To let ${tag%%.*} follow, a maintainer runs \`scripts/release/move-major.sh $tag\`."
