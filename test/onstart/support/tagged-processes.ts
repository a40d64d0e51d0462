import { readdirSync, readFileSync } from "node:fs";

/** The ids of the living processes that carry this text in their environment. */
export function taggedProcesses(tag: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && readProc(pid, "environ").includes(tag));
}

/** A process's arguments, with blanks between them; empty when it has ended. */
export function commandLine(pid: number): string {
  return readProc(pid, "cmdline").replaceAll("\0", " ");
}

/** Kills them all, by id, until none is left. */
export function endTagged(tag: string): void {
  for (let pids = taggedProcesses(tag); pids.length > 0; pids = taggedProcesses(tag)) {
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
  }
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // It ended, or it is not ours.
    return "";
  }
}
