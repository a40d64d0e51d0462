import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SimClock } from "../clock/sim-clock.ts";
import type { MachineBehaviour } from "../scenario/simulate.ts";
import { linkCommand } from "./command-links.ts";
import { findHostCommand } from "./host-command.ts";
import { IMAGE_COMMANDS } from "./image-commands.ts";
import { machineSettings } from "./machine-settings.ts";

const STAND_INS = fileURLToPath(new URL("bin", import.meta.url));

/** Packages that bring no command but may be missing all the same. */
const LIBRARIES = ["libicu", "ca-certificates"];

/** A script reaches its GPUs by these commands of this computer. */
const DRIVER_COMMANDS = ["nvidia-smi", "python3"];

/** A machine's disk, of which `folder` is the top. */
export interface MachineFolder {
  folder: string;
  gpuCount: number;
  behaviour: MachineBehaviour;
  clock: SimClock;
}

/** Makes a new machine's disk: its home, its commands, what its image lacks. An old one stays. */
export function makeMachineFolder(machine: MachineFolder): void {
  const { folder, behaviour } = machine;
  if (existsSync(folder)) return;
  for (const part of ["root", "etc", "tmp", "opt", "bin", "sim/packages", "missing/commands", "missing/packages"]) {
    mkdirSync(join(folder, part), { recursive: true });
  }
  const missing = new Set(behaviour.missing);
  const place = (kind: "commands" | "packages", name: string) => {
    if (missing.has(name)) return join(folder, "missing", kind, name);
    return kind === "commands" ? join(folder, "bin", name) : join(folder, "sim/packages", name);
  };
  for (const [name, target] of imageCommands(missing, behaviour.driver)) linkCommand(target, place("commands", name));
  for (const name of LIBRARIES) writeFileSync(place("packages", name), "");
  writeFileSync(join(folder, "sim/settings.bash"), machineSettings(machine));
}

function imageCommands(missing: ReadonlySet<string>, driver: MachineBehaviour["driver"]): Map<string, string> {
  const commands = new Map<string, string>();
  for (const name of IMAGE_COMMANDS) {
    const path = findHostCommand(name);
    if (path !== undefined) commands.set(name, path);
  }
  const standIns = readdirSync(STAND_INS).filter((name) => name !== "README.md");
  for (const name of standIns) commands.set(name, join(STAND_INS, name));
  leaveOnePackageManager(commands, missing);
  if (driver === "host") for (const name of DRIVER_COMMANDS) commands.set(name, findHostCommand(name) ?? "/bin/false");
  return commands;
}

/** An image is of the Debian family; it is of the Red Hat family when it lacks apt-get. */
function leaveOnePackageManager(commands: Map<string, string>, missing: ReadonlySet<string>): void {
  const dnf = join(STAND_INS, "dnf");
  if (missing.has("apt-get")) {
    commands.delete("apt-cache");
    commands.set("yum", dnf);
  } else {
    commands.delete("dnf");
  }
}
