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

/** Kills them all, by id, until none is left; at once: none lives to see another one end. */
export function endTagged(tag: string): void {
  for (let pids = taggedProcesses(tag); pids.length > 0; pids = taggedProcesses(tag)) {
    for (const pid of pids) send(pid, "SIGSTOP");
    for (const pid of pids) send(pid, "SIGKILL");
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
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
