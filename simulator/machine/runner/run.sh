#!/usr/bin/env bash
# Starts the listener of the stand-in runner. Like the real one it refuses root and always exits 0.
if [[ $(id -u) -eq 0 && -z ${RUNNER_ALLOW_RUNASROOT:-} ]]; then
  echo 'Must not run interactively with sudo'
  echo 'Exiting runner...'
  exit 0
fi
"$(dirname "${BASH_SOURCE[0]}")/bin/Runner.Listener" run "$@"
code=$?
case $code in
  0) echo 'Runner listener exit with 0 return code, stop the service, no retry needed.' ;;
  1) echo 'Runner listener exit with terminated error, stop the service, no retry needed.' ;;
  5) echo 'Runner listener exit with Session Conflict error, stop the service, no retry needed.' ;;
  *) echo "Exiting with unknown error code: $code" ;;
esac
echo 'Exiting runner...'
exit 0
