import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findHostCommand } from "../../../simulator/machine/host-command.ts";
import type { Answer } from "./stand-in-service.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** How the image of a test machine differs from a good one. */
export interface Image {
  /** Commands that it lacks until its package manager installs the package of that name. */
  missing?: readonly string[];
  /** Its package manager; none by default. */
  packages?: "apt-get" | "dnf";
  libc?: "glibc" | "musl";
  libicu?: boolean;
  gpus?: number;
  /** Lines of bash that print what the driver says of its GPUs, each time. */
  figures?: string;
  clockOffsetSeconds?: number;
  /** It starts onstart as a shell script starts all that has an & behind it: deaf to SIGINT. */
  ignoresSigint?: boolean;
  /** Its user; root by default, as far as the tests are run by root. */
  isRoot?: boolean;
  /** Lines of bash for a command that take the place of what it does otherwise. */
  commands?: Record<string, string>;
  /** The same for commands in the system's folder, which comes last in PATH. */
  system?: Record<string, string>;
  /** How much faster than the wall clock its `sleep` and `read -t` are (50). Less where programs race with a pause. */
  factor?: number;
  /** What the service answers at first to requests of a method, one after the other. */
  answers?: Readonly<Record<string, readonly Answer[]>>;
  /** The service tells no time. */
  hasNoDate?: true;
  /** Programs and other files that it has from the first, by their path in its folder. */
  files?: Readonly<Record<string, string>>;
  /** Variables that it is started with beside the usual ones, by its folder; undefined takes one away. */
  env?: Variables | ((folder: string) => Variables);
  /** Every command's arguments are in `argv.log`, not only those of stand-ins: a process more for each. */
  tellsArguments?: boolean;
}

/** For each test in which something is interrupted: as services may start onstart. */
export const BOTH_WAYS = [
  { sigint: "heard", way: {} },
  { sigint: "ignored", way: { ignoresSigint: true } },
] as const satisfies { sigint: string; way: Image }[];

const USUAL_FACTOR = 50;

/** A line of bash that writes these words into the machine's calls. */
export const notes = (words: string) => `echo "${words}" >>"$ONSTART_TEST/calls.log"`;

/** The lines of a command that is this computer's own. */
export const ofHost = (name: string) => `exec /usr/bin/${name} "$@"`;

/** Those of a sudo that may do everything. */
export const SUDO = `${notes("sudo $*")}; shift; exec "$@"`;

/** As the loader ends a program that lacks a library. */
export const BROKEN = "echo 'error while loading shared libraries: libnghttp2.so.14' >&2; exit 127";

/** This computer may have none: then what it would show is left out. */
export const PYTHON = "/usr/bin/python3";

/** PATH has nothing else of this computer: a bare image would lack it. */
const FROM_HOST = `bash base64 chmod cp curl date env git gzip ln mkdir mv readlink rm sha256sum sleep tail tar
timeout touch tr`.split(/\s/);

/** The simulator's: its durations pass while this computer keeps up. */
const MACHINE = fileURLToPath(new URL("../../../simulator/machine/", import.meta.url));
const OF_TIME = ["bin/sleep", "lib/bash-env.bash", "lib/clock.bash"];

/** Every bash of the machine reads it: `read -t` waits in machine time. Dates are real ones. */
const BASH_ENV = `SIM_MACHINE=$ONSTART_TEST/
source "$ONSTART_TEST/sim/bash-env.bash"
unset -f printf
`;

/** `lived`: the file that tells the time that this computer could keep up with. */
function writeTime(folder: string, { factor = USUAL_FACTOR }: Image, lived: string): void {
  const home = join(folder, "sim");
  mkdirSync(home);
  // Another user may not read the repository.
  for (const path of OF_TIME) copyFileSync(join(MACHINE, path), join(home, basename(path)));
  const ofHost = { SIM_LIVED_FILE: lived, SIM_HOST_SLEEP: HOST_PATHS.get("sleep") ?? "sleep" };
  const settings = { SIM_LIB: home, SIM_FACTOR_MICRO: factor * 1e6, ...ofHost };
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(join(home, "settings.bash"), lines.join(""));
  writeFileSync(join(folder, "bash_env"), BASH_ENV);
}

/**
 * The folders of commands: PATH has the first three. Nobody writes into `host`, whose links lead out of the machine.
 * `system` stands for all folders in which the script looks by itself.
 */
const FOLDERS = ["bin", "host", "system", "missing", "tmp"];

/** The system's folders as the packed script names them: on a test's machine they are its own. */
const SYSTEM_FOLDERS = ["/usr/{local/,}{s,}bin /{s,}bin", "/usr/bin:/bin"];

/** Makes the script look into the machine's own folder where it means the system's. */
export function onOwnSystem(script: string): string {
  return SYSTEM_FOLDERS.reduce((text, folders) => {
    if (!text.includes(folders)) throw new Error(`The script does not name ${folders}.`);
    return text.replaceAll(folders, "$ONSTART_TEST/system");
  }, script);
}

/** Makes a machine's commands. Stand-ins write their arguments to `argv.log`. `lived`: the file of `countLivedTime`. */
export function makeImage(folder: string, image: Image, lived: string): void {
  for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true });
  writeTime(folder, image, lived);
  const commands: Record<string, string> = { ...standIns(image), ...image.commands };
  const place = (name: string, usual: string) => join(folder, image.missing?.includes(name) ? "missing" : usual, name);
  for (const [name, path] of HOST_PATHS) {
    if (image.tellsArguments) commands[name] ??= `exec ${path} "$@"`;
    else if (commands[name] === undefined) symlinkSync(path, place(name, "host"));
  }
  for (const [name, body] of Object.entries(commands)) writeCommand(place(name, "bin"), name, body);
  writeFiles(folder, image.files);
  for (const [name, body] of Object.entries(image.system ?? {})) writeCommand(join(folder, "system", name), name, body);
}

function writeFiles(folder: string, files: Image["files"] = {}): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o755 });
  }
}

function writeCommand(path: string, name: string, body: string): void {
  writeFileSync(path, `#!/bin/bash\nprintf '%s\\n' "${name} $*" >>"$ONSTART_TEST/argv.log"\n${body}\n`);
  chmodSync(path, 0o755);
}

const HOST_PATHS = new Map(FROM_HOST.map((name) => [name, findHostCommand(name) ?? ""]));

/** The driver waits without a process, as it does so for as long as the machine lives. */
function standIns(image: Image): Record<string, string> {
  const isMusl = image.libc === "musl";
  const all: Record<string, string> = {
    sleep: 'source "$ONSTART_TEST/sim/sleep"',
    date: `[[ $1 != -d ]] || exec ${HOST_PATHS.get("date")} "$@"
exec ${HOST_PATHS.get("date")} -d @$((EPOCHSECONDS + ${image.clockOffsetSeconds ?? 0})) "$@"`,
    ldd: isMusl ? "echo 'musl libc (x86_64)' >&2; exit 1" : "echo 'ldd (Debian GLIBC 2.36-9) 2.36'",
    ldconfig: `${image.libicu === false ? "[[ -e $ONSTART_TEST/libicu ]] &&" : ""} echo 'libicuuc.so.72 (libc6,x86-64)'
echo 'libc.so.6 (libc6,x86-64)'`,
    "nvidia-smi": `if [[ $* == *--query-gpu* ]]; then
  ${notes("figures $*")}
  [[ $* == *' -l '* ]] || exit 0
  exec {never}<> <(:)
  while true; do ${image.figures ?? "echo '0, 1, 24564, 35, 20.10, 0x0000000000000001'"}; read -t 5 -u "$never" _; done
fi
${notes("nvidia-smi $*")}
for ((gpu = 0; gpu < ${image.gpus ?? 1}; gpu++)); do echo "GPU $gpu: NVIDIA GeForce RTX 4090 (UUID: GPU-$gpu)"; done`,
  };
  if (image.packages === "apt-get") Object.assign(all, { "apt-get": aptGet(), "apt-cache": APT_CACHE });
  if (image.packages === "dnf") all.dnf = installing("dnf");
  return all;
}

function installing(name: string): string {
  return `${notes(`${name} $*`)}
for package; do
  case $package in
    libicu*) : >"$ONSTART_TEST/libicu" ;;
    *) [[ ! -e $ONSTART_TEST/missing/$package ]] || mv "$ONSTART_TEST/missing/$package" "$ONSTART_TEST/bin/" ;;
  esac
done`;
}

/** Knows a package only after `update`, as in an image whose lists were removed. */
function aptGet(): string {
  return `[[ " $* " != *' update '* ]] || : >"$ONSTART_TEST/lists"
[[ -e $ONSTART_TEST/lists ]] || exit 100
${installing("apt-get")}`;
}

const APT_CACHE = "[[ ! -e $ONSTART_TEST/lists ]] || echo 'libicu72 - International Components for Unicode'";
