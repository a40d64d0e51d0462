import { fileURLToPath } from "node:url";
import type { SimClock } from "../clock/sim-clock.ts";
import type { MachineBehaviour } from "../scenario/simulate.ts";
import { findHostCommand } from "./host-command.ts";

/** The facts that one machine's stand-ins need. */
export interface MachineSettings {
  folder: string;
  gpuCount: number;
  behaviour: MachineBehaviour;
  clock: SimClock;
}

/** Writes the variables that the stand-ins source: the environment must look like a real one's. */
export function machineSettings({ folder, gpuCount, behaviour, clock }: MachineSettings): string {
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
    SIM_LIBC: behaviour.libc ?? "glibc",
    SIM_ICU_PACKAGE: behaviour.missing?.includes("apt-get") ? "libicu" : "libicu72",
  };
  for (const command of ["date", "getconf", "sleep", "timeout"]) {
    settings[`SIM_HOST_${command.toUpperCase()}`] = findHostCommand(command) ?? command;
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${quoted(String(value))}`);
  return `# shellcheck shell=bash disable=SC2034\n${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
