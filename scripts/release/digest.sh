#!/usr/bin/env bash
#
# Prints one SHA-256 of the names and contents of all files of a folder. Usage: digest.sh FOLDER
set -euo pipefail

cd "${1:?usage: digest.sh FOLDER}"
find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1
