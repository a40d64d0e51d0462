import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { readIfThere } from "./read-if-there.ts";

const PAUSE_MS = 10;
const MOST_ROUNDS = 500;

/**
 * Finds the processes of a tag: those with an environment variable that starts with `tag`
 * (`NAME=value`), their descendants, and who shares a session with them. Reads /proc (Linux only),
 * sees only this user's processes (all for root), and never finds this one.
 */
export function findTagged(tag: string): number[] {
  const processes = readProcesses(tag);
  const members = new Set<number>();
  const sessions = new Set<number>();
  // A child may have lost its environment (`env -i`) or its parent; it is the machine's still.
  const belongs = (one: (typeof processes)[number]) =>
    one.tagged || members.has(one.parent) || sessions.has(one.session);
  for (let size = -1; size !== members.size; ) {
    size = members.size;
    for (const one of processes.filter(belongs)) {
      members.add(one.pid);
      sessions.add(one.session);
    }
  }
  return [...members];
}

/** Kills what `findTagged` finds until there is none; throws with the ids that can't be killed. */
export async function endTagged(tag: string): Promise<void> {
  let pids = findTagged(tag);
  // Again and again, because a process may start another while it is being killed.
  for (let round = 0; pids.length > 0; round++) {
    if (round === MOST_ROUNDS) throw new Error(`Processes of a simulated machine can't be ended: ${pids.join(", ")}`);
    // All of a container end at once: none lives to see another one end.
    for (const pid of pids) send(pid, "SIGSTOP");
    for (const pid of pids) send(pid, "SIGKILL");
    await delay(PAUSE_MS);
    pids = findTagged(tag);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}

function readProcesses(tag: string) {
  const own = readStat(process.pid);
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? readStat(pid) : undefined;
    // A machine has a session of its own: who shares ours is none of it.
    if (!stat || stat.session === own?.session) return [];
    // Nor is who was there before us: most of a computer's processes need no second look.
    const isOlder = own !== undefined && stat.started < own.started;
    return [{ ...stat, pid, tagged: !isOlder && hasVariable(pid, tag) }];
  });
}

function readStat(pid: number): { parent: number; session: number; started: number } | undefined {
  const text = readIfThere(`/proc/${pid}/stat`, "latin1");
  // The second field is the name in parentheses, which may hold anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ", 20);
  const [state, parent, , session] = fields;
  if (!text || state === "Z" || state === "X") return undefined;
  return { parent: Number(parent), session: Number(session), started: Number(fields[19]) };
}

function hasVariable(pid: number, start: string): boolean {
  return `\0${readIfThere(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${start}`);
}
