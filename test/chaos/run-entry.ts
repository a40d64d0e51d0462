import type { RunningStage, StageResult } from "../../simulator/actions/stage.ts";
import type { Fault as GithubFault } from "../../simulator/github/faults.ts";
import type { SimulatedSession } from "../support/simulated-session.ts";
import { firstStart } from "./open-world.ts";
import { byCaller, type Entry, type Fault, isOfService, type Moment } from "./plan.ts";
import type { Death } from "./simulated.ts";

/** One process of dist and its end; times in simulated milliseconds since the epoch. */
export type Stage = Awaited<ReturnType<typeof runEntry>>;

/** A death at a request holds that up so many simulated seconds, for the signal to arrive. */
const HELD_UP_SECONDS = 8;
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

/** Faults that hold up the request at which a process is to die, until the signal arrives. */
export function heldUp(moment: Moment | undefined): Fault[] {
  if (moment?.at !== "request") return [];
  const { nth, operation, side: when } = moment;
  return [{ ...byCaller({ operation }, "account"), nth, when, kind: "delay", seconds: HELD_UP_SECONDS } as Fault];
}

const running = new Set<RunningStage>();

/** Kills every entry that runs now: for the end of all runs before its time. */
export function endEntries(): void {
  for (const stage of running) stage.kill("SIGKILL");
}

/** Starts an entry, ends it as planned, and sees how. The faults must be set just before. */
export async function runEntry(session: SimulatedSession, entry: Entry, { start, death, isDeaf, alive }: Way) {
  const { clock, service } = session.sim;
  const startedAt = clock.now();
  const asked = service.journal.entries.length;
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
    if (death && !killed && isTime(session, death.moment, { startedAt, asked })) {
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

function isTime(session: SimulatedSession, moment: Moment, since: { startedAt: number; asked: number }): boolean {
  const { clock, github, service } = session.sim;
  if (moment.at !== "request") {
    const from = moment.at === "job" ? firstStart(session) : since.startedAt;
    return clock.now() >= from + moment.seconds * 1000;
  }
  if (!isOfService(moment)) return github.arrived(moment.operation as GithubFault["operation"]) >= moment.nth;
  const entries = service.journal.entries.slice(since.asked);
  const ours = entries.filter(({ operation, caller }) => operation === moment.operation && caller === "account");
  const nth = ours[moment.nth - 1];
  // The effect is there as soon as the request is held up after it, or has been answered.
  return nth !== undefined && (moment.side === "before" || nth.performed || nth.outcome !== "pending");
}

function end({ run }: SimulatedSession, stage: RunningStage, how: Death["how"]): void {
  if (how === "cancel") {
    run.cancel();
    stage.cancel();
  } else stage.kill(how);
}
