# shellcheck shell=bash
# Shared by the package managers' stand-ins. Nothing is ever fetched: a package "is installed" by
# bringing back what the image lacked, from $SIM_MACHINE_FOLDER/missing.

# Sets REPLY to the name under which a package is kept in the folder `missing`.
missing_name() {
  case $1 in libicu*) REPLY=libicu ;; *) REPLY=$1 ;; esac
}

# Tells whether this image's repositories would know the package.
is_known_package() {
  case $1 in
    curl | git | ca-certificates | bash | coreutils | findutils | grep | gzip | jq | procps | sed | tar | unzip | util-linux) ;;
    "$SIM_ICU_PACKAGE") ;;
    *) return 1 ;;
  esac
}

# Brings back the command or the package of that name, if the image lacked it.
install_package() {
  missing_name "$1"
  local missing=$SIM_MACHINE_FOLDER/missing
  if [[ -e $missing/packages/$REPLY ]]; then mv "$missing/packages/$REPLY" "$SIM_MACHINE_FOLDER/sim/packages/"; fi
  if [[ -L $missing/commands/$REPLY ]]; then mv "$missing/commands/$REPLY" "$SIM_MACHINE_FOLDER/bin/"; fi
}

# Writes what was asked of which package manager, for the tests.
log_call() {
  printf '%s\n' "$*" >>"$SIM_MACHINE_FOLDER/sim/packages.log"
}

# Sets SUBCOMMAND and the array PACKAGES from a package manager's arguments; options are left out.
read_arguments() {
  SUBCOMMAND='' PACKAGES=()
  while (($# > 0)); do
    case $1 in
      -o | -c | -t) shift ;;
      -*) ;;
      *) if [[ -z $SUBCOMMAND ]]; then SUBCOMMAND=$1; else PACKAGES+=("$1"); fi ;;
    esac
    shift
  done
}
