import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SimClock } from "../clock/sim-clock.ts";
import type { MachineBehaviour } from "../scenario/simulate.ts";
import { findHostCommand } from "./host-command.ts";
import { IMAGE_COMMANDS } from "./image-commands.ts";

const STAND_INS = fileURLToPath(new URL("bin", import.meta.url));

/** A script reaches its GPUs by these commands of this computer. */
const DRIVER_COMMANDS = ["nvidia-smi", "python3"];

/** A machine's disk, of which `folder` is the top. */
interface MachineFolder {
  folder: string;
  gpuCount: number;
  behaviour: MachineBehaviour;
  clock: SimClock;
}

/** Makes a new machine's disk: its home and its commands. An old one stays. */
export function makeMachineFolder(machine: MachineFolder): void {
  const { folder, behaviour } = machine;
  if (existsSync(folder)) return;
  for (const part of ["root", "etc", "tmp", "opt", "bin", "sim"]) mkdirSync(join(folder, part), { recursive: true });
  for (const [name, target] of commandsOf(behaviour)) linkCommand(target, join(folder, "bin", name));
  writeFileSync(join(folder, "sim/settings.bash"), machineSettings(machine));
}

/** The image's commands: those of this computer, stand-ins in the place of some, and the way to real GPUs. */
function commandsOf({ driver }: MachineBehaviour): Map<string, string> {
  const commands = new Map<string, string>();
  for (const name of IMAGE_COMMANDS) {
    const path = findHostCommand(name);
    if (path !== undefined) commands.set(name, path);
  }
  for (const name of readdirSync(STAND_INS)) commands.set(name, join(STAND_INS, name));
  if (driver === "host") for (const name of DRIVER_COMMANDS) commands.set(name, findHostCommand(name) ?? "/bin/false");
  return commands;
}

/** Where a link to each command was made last. */
const latest = new Map<string, string>();

/**
 * Makes a symbolic link at `path`. A machine has 130 of them, and a further name of another
 * machine's link costs a tenth of what a new one costs.
 */
function linkCommand(target: string, path: string): void {
  const other = latest.get(target);
  if (other === undefined || !isShared(other, { target, path })) symlinkSync(target, path);
  latest.set(target, path);
}

function isShared(other: string, { target, path }: { target: string; path: string }): boolean {
  try {
    linkSync(other, path);
    if (readlinkSync(path) === target) return true;
  } catch {
    // That machine is gone, or put a file of its own there.
  }
  rmSync(path, { force: true });
  return false;
}

/** Writes the variables that the stand-ins source: the environment must look like a real one's. */
function machineSettings({ folder, gpuCount, behaviour, clock }: MachineFolder): string {
  const { SIM_TIME_ORIGIN, SIM_TIME_LIVED = "" } = clock.childEnv();
  const settings: Record<string, string | number> = {
    SIM_MACHINE_FOLDER: folder,
    SIM_LIB: fileURLToPath(new URL("lib", import.meta.url)),
    SIM_ORIGIN_US: Math.round(Number(SIM_TIME_ORIGIN) * 1000),
    SIM_LIVED_FILE: SIM_TIME_LIVED,
    // Bash counts in whole numbers only.
    SIM_FACTOR_MICRO: Math.max(1, Math.round(clock.factor * 1e6)),
    SIM_CLOCK_OFFSET_US: Math.round((behaviour.clockOffsetSeconds ?? 0) * 1e6),
    SIM_GPUS: behaviour.gpus ?? gpuCount,
    SIM_GPU_NAME: behaviour.gpuName ?? "NVIDIA GeForce RTX 4090",
    SIM_GPU_MEMORY_MIB: behaviour.gpuMemoryMib ?? 24_564,
  };
  for (const command of ["date", "sleep", "timeout"]) {
    settings[`SIM_HOST_${command.toUpperCase()}`] = findHostCommand(command) ?? command;
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${quoted(String(value))}`);
  return `# shellcheck shell=bash disable=SC2034\n${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
