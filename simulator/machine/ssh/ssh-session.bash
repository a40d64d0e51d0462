#!/usr/bin/env bash
# One SSH session, with the environment of one on a rented machine: not the container's, but only
# the machine's own etc/environment.
# Usage: ssh-session.bash FOLDER, with SSH_ORIGINAL_COMMAND where a command was asked for
folder=$1
library=$(dirname "${BASH_SOURCE[0]}")/../lib
variables=()

# As pam_env reads it: NAME=value a line, quotes around the value are dropped.
read_environment() {
  local line name value
  while IFS= read -r line || [[ -n $line ]]; do
    [[ $line =~ ^(export[[:space:]]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$ ]] || continue
    name=${BASH_REMATCH[2]} value=${BASH_REMATCH[3]}
    [[ $value =~ ^\"(.*)\"$ || $value =~ ^\'(.*)\'$ ]] && value=${BASH_REMATCH[1]}
    variables+=("$name=$value")
  done <"$folder/etc/environment"
}

[[ -r $folder/etc/environment ]] && read_environment
for name in SSH_CLIENT SSH_CONNECTION SSH_TTY TERM; do
  [[ -v $name ]] && variables+=("$name=${!name}")
done
# The confinement comes last.
variables+=("PATH=$folder/bin" "HOME=$folder/root" "TMPDIR=$folder/tmp" "GHR_ROOT=$folder/opt/ghr")
variables+=(USER=root LOGNAME=root SHELL=/bin/bash "SIM_MACHINE=$folder/" "BASH_ENV=$library/bash-env.bash")

cd "$folder/root" || exit 1
case ${SSH_ORIGINAL_COMMAND-} in
  '') exec env -i "${variables[@]}" bash --noprofile --norc -i ;;
  # scp and sftp: the way to the server is this computer's.
  internal-sftp)
    for server in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server /usr/lib/ssh/sftp-server; do
      [[ -x $server ]] && exec env -i "${variables[@]}" "$server"
    done
    exit 1
    ;;
  *) exec env -i "${variables[@]}" bash --norc -c "$SSH_ORIGINAL_COMMAND" ;;
esac
