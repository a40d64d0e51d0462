#!/bin/bash
#
# Unpacks the guard (bootstrap.sh, which the build puts in PACKED's place) and runs it: the field
# `onstart`. Bare images of the RHEL family have no gzip: then Python unpacks, or gzip is installed.
# Sets no variable, as the guard would take it for one of the image's. Each character counts, as
# this is not packed itself.

packed() {
  echo PACKED
}

unpack() {
  packed | base64 -d | gzip -d ||
    packed | python3 -c 'import base64,gzip;print(gzip.decompress(base64.b64decode(input())).decode())'
}

# Nothing guards the machine meanwhile: a mirror that hangs has little time.
as_root() {
  ((EUID == 0)) || set -- sudo -n "$@"
  timeout 100 "$@"
}

install_gzip() {
  local manager
  as_root apt-get update
  for manager in apt-get dnf microdnf yum zypper; do
    as_root $manager install -y gzip && return
  done
}

# A machine that can't be guarded must not stay: asks until its container ends. The key goes through
# a pipe, as arguments can be seen by all; an image may export xtrace. Python is not asked: where
# there is one, it has unpacked the guard.
give_back() {
  set +x
  echo "ghr: The guard can't be unpacked: the image needs gzip and base64, or python3. Giving the machine back."
  while type curl && sleep 9; do
    echo "header = \"Authorization: Bearer $CONTAINER_API_KEY\"" |
      curl -qsSm20 -K- -XDELETE "$GHR_API_URL/api/v0/instances/$CONTAINER_ID/"
  done
}

bash -c "$(unpack || { install_gzip >&2 && unpack; } || give_back >&2)"
