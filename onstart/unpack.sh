#!/bin/bash
#
# Unpacks the guard (bootstrap.sh, which the build puts in PACKED's place) and runs it: the field
# `onstart`. Bare images of the RHEL family have no gzip: then Python unpacks, or gzip is installed.
# Exports no variable but PATH, as the guard would take it for one of the image's. Each character
# counts, as this is not packed itself.

# For the guard, the runner and its job: an image may name its own folder alone.
for bin in /usr/{local/,}{s,}bin /{s,}bin; do
  [[ :$PATH: == *:$bin:* ]] || PATH+=:$bin
done

packed() {
  echo PACKED
}

unpack() {
  packed | base64 -d | gzip -d ||
    packed | python3 -m base64 -d | python3 -m gzip -d
}

# Nothing guards the machine meanwhile: a mirror that hangs has little time. Debian's images always
# have gzip.
install_gzip() {
  local manager
  ((EUID)) && set -- sudo -n
  for manager in dnf microdnf; do
    "$@" timeout 100 $manager install -y gzip && return
  done
}

# A machine that can't be guarded must not stay: asks until its container ends. The key goes through
# a pipe, as arguments can be seen by all; an image may export xtrace. Python is not asked: where
# there is one, it has unpacked the guard.
give_back() {
  set +x
  echo "ghr: The image needs gzip and base64, or python3. Giving the machine back."
  while type curl && sleep 9; do
    echo "Authorization: Bearer $CONTAINER_API_KEY" |
      curl -qsSm20 -H@- -XDELETE "$GHR_API_URL/api/v0/instances/$CONTAINER_ID/"
  done
}

# An image's own tools may lack a library: then the system's are taken.
bash -c "$(unpack || { PATH=/usr/bin:/bin:$PATH && unpack; } || { install_gzip >&2 && unpack; } || give_back >&2)"
