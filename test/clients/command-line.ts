import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Simulator } from "../../simulator/start-simulator.ts";

/** Where a client is driven: the world, its home folder, and what its answers said that later commands need. */
export interface Place {
  readonly sim: Simulator;
  readonly home: string;
  readonly known: Map<string, string>;
}

/** One command, and what it says. */
export interface Step {
  /** The client's own is the default. */
  program?: "ssh" | "scp";
  /** Done before it. */
  first?: (sim: Simulator) => void;
  words: (place: Place) => string[];
  env?: Readonly<Record<string, string>>;
  /** Must be on any of its outputs. */
  says: RegExp;
  /** The code that it must end with. Without one, any will do, and the command is tried some times: an instance needs some seconds to boot. */
  code?: number;
  /** The group of `says` that later steps need, and its name. */
  keep?: string;
}

/** Runs a command; what it printed counts, however it ended. */
function ask(program: string, words: string[], env: Record<string, string>, cwd: string) {
  const { promise, resolve } = Promise.withResolvers<{ said: string; code: unknown }>();
  execFile(program, words, { env, cwd }, (fault, stdout, stderr) =>
    resolve({ said: stdout + stderr, code: fault?.code ?? 0 }),
  );
  return promise;
}

/** Gives a client one command after the other; throws at the first that does not say what it must. */
export async function follow(steps: readonly Step[], program: string, env: Record<string, string>, place: Place) {
  for (const step of steps) {
    step.first?.(place.sim);
    const words = step.words(place);
    const told = `${step.program ?? program.replace(/.*\//, "")} ${words.join(" ")}`;
    const asks = () => ask(step.program ?? program, words, { ...env, ...step.env }, place.home);
    const [, kept] = await untilSaid(step, asks, told);
    if (step.keep !== undefined && kept !== undefined) place.known.set(step.keep, kept);
    console.log(`ok  ${told}`);
  }
}

async function untilSaid({ code, says }: Step, asks: () => ReturnType<typeof ask>, told: string) {
  for (let tries = code === undefined ? 6 : 1; ; tries -= 1) {
    const answer = await asks();
    const found = answer.code === (code ?? answer.code) ? says.exec(answer.said) : null;
    if (found) return found;
    if (tries === 1) throw new Error(`${told} did not say ${says}, but ended with ${answer.code}:\n${answer.said}`);
    await sleep(1000);
  }
}
