#!/usr/bin/env bash
#
# Runs the machine's scripts in a bare Debian, where they must install curl, git, libicu and CA
# certificates. test/onstart/bare-debian.ts has the checks. Needs root and debootstrap. Installs this
# computer's own Debian or Ubuntu release from its mirror. Leaves no mount, process or file behind.
#
#   BARE_DEBIAN   a folder that keeps the Debian for the next time (default: a temporary one)
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PWD/node_modules/.bin:$PATH

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# Prints the address from which this computer gets the release that it runs.
mirror_of() {
  local address release component
  while read -r address release component; do
    if [[ $release == "$1" && $component == main ]]; then
      echo "$address"
      return
    fi
  done < <(apt-get indextargets --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages')
  echo "No package source of this computer has $1 main." >&2
  return 1
}

make_debian() {
  local root=$1 codename mirror options=(--variant=minbase) file
  codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  mirror=$(mirror_of "$codename")
  # Without certificates such a Debian could install nothing at all.
  [[ $mirror != https:* ]] || options+=(--include=ca-certificates)
  debootstrap "${options[@]}" "$codename" "$root" "$mirror"
  # The settings with which this computer reaches its mirror, such as proxies.
  for file in /etc/apt/apt.conf.d/*; do
    if grep -q 'Acquire::' "$file"; then cp "$file" "$root/etc/apt/apt.conf.d/"; fi
  done
  rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*.bin
}

main() {
  local kept=${BARE_DEBIAN:-$work/debian}
  if [[ ! -e $kept/complete ]]; then
    mkdir -p "$kept"
    rm -rf --one-file-system "$kept/root"
    make_debian "$kept/root" >"$work/log" 2>&1 || { tail -n 50 "$work/log" && return 1; }
    touch "$kept/complete"
  fi
  cp -a "$kept/root" "$work/root"
  cp /etc/resolv.conf "$work/root/etc/"
  node test/onstart/bare-debian.ts "$work/root"
}

main "$@"
