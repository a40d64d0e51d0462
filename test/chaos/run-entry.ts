import type { RunningStage, StageResult } from "../../simulator/actions/stage.ts";
import type { SimulatedSession } from "../support/simulated-session.ts";
import { firstStart, requestsOf } from "./open-world.ts";
import type { Death, Entry } from "./simulated.ts";

/** One process of dist and its end; times in simulated milliseconds since the epoch. */
export type Stage = Awaited<ReturnType<typeof runEntry>>;

/** Longer than any entry may run, in simulated seconds. */
const MOST_SECONDS: Record<Entry, number> = { main: 3000, post: 600, sweep: 600 };
/** So much longer where GitHub gives no job to some hosts: machines stand there in turn, as `attempts` allows. */
const DEAF_SECONDS = 6000;
const LOOK_EVERY_MS = 3;

/** How an entry is started and ended; `isDeaf`: GitHub gives no job to some hosts. */
interface Way {
  start: () => RunningStage;
  death: Death | undefined;
  isDeaf: boolean;
  alive: () => number[];
}

const running = new Set<RunningStage>();

/** Kills every entry that runs now: for the end of all runs before its time. */
export function endEntries(): void {
  for (const stage of running) stage.kill("SIGKILL");
}

/** Starts an entry, ends it as planned, and sees how. */
export async function runEntry(session: SimulatedSession, entry: Entry, { start, death, isDeaf, alive }: Way) {
  const { clock } = session.sim;
  const startedAt = clock.now();
  const asked = requestsOf(session);
  const stage = start();
  running.add(stage);
  /** How the plan ended it; undefined: it ended by itself. */
  let killed: Death["how"] | undefined;
  const seeEnd = ({ exitCode, log }: StageResult) => ({ endedAt: clock.now(), alive: alive(), exitCode, log });
  let ended: ReturnType<typeof seeEnd> | undefined;
  void stage.done.then((result) => {
    // At once: a moment later the world may be another one.
    ended = seeEnd(result);
  });
  /** It had to be ended, because it did not end. */
  let overran = false;
  const mostMs = (MOST_SECONDS[entry] + (isDeaf ? DEAF_SECONDS : 0)) * 1000;
  while (ended === undefined) {
    if (death && !killed && isTime(session, death, asked)) {
      killed = death.how;
      end(session, stage, killed);
    }
    if (!overran && clock.now() - startedAt > mostMs) {
      overran = true;
      stage.kill("SIGKILL");
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  running.delete(stage);
  return { entry, startedAt, killed, overran, ...ended };
}

function isTime(session: SimulatedSession, { afterStartS = Number.POSITIVE_INFINITY, request }: Death, asked: number) {
  const { clock } = session.sim;
  return requestsOf(session) - asked >= request || clock.now() >= firstStart(session) + afterStartS * 1000;
}

function end({ run }: SimulatedSession, stage: RunningStage, how: Death["how"]): void {
  if (how === "cancel") {
    run.cancel();
    stage.cancel();
  } else stage.kill(how);
}
