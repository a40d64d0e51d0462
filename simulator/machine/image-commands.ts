/**
 * The commands of the simulated image: a smallest Debian with curl, git and OpenSSL, and no more,
 * so that no script comes to need what a bare image lacks. No pkill, mount or shutdown: a machine
 * must not hurt this computer by accident.
 */
export const IMAGE_COMMANDS: readonly string[] = [
  // bash, dash
  ..."bash sh".split(" "),
  // coreutils
  ..."[ arch base32 base64 basename cat chmod chown cksum comm cp csplit cut df dir dircolors dirname du echo env".split(
    " ",
  ),
  ..."expand expr factor false fmt fold groups head install join link ln logname ls md5sum mkdir mkfifo mktemp".split(
    " ",
  ),
  ..."mv nice nl nohup nproc numfmt od paste pathchk pr printenv printf pwd readlink realpath rm rmdir seq".split(" "),
  ..."sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sort split stat stdbuf stty sum sync".split(" "),
  ..."tac tail tee test touch tr true truncate tsort tty uname unexpand uniq unlink vdir wc yes".split(" "),
  // findutils, grep, sed, awk, diffutils, tar, gzip, hostname, procps, util-linux
  ..."find xargs grep egrep fgrep sed awk mawk diff cmp tar gzip gunzip zcat hostname ps".split(" "),
  ..."flock getopt setsid more rev column".split(" "),
  // what an image for GPU jobs brings on top
  ..."curl git openssl".split(" "),
];

/** Without these no onstart can do its work, and no machine be simulated. */
export const NEEDED_COMMANDS: readonly string[] = "bash base64 curl date gzip sha256sum sleep tar timeout".split(" ");
