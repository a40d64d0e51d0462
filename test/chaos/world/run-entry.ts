import type { RunningStage, StageResult } from "../../../simulator/actions/stage.ts";
import type { SimulatedSession } from "../../support/simulated-session.ts";
import type { Death, Entry, Faults, Moment } from "../planned-run.ts";

/** One process of dist and its end; times in simulated milliseconds since the epoch. */
export interface Stage {
  entry: Entry;
  startedAt: number;
  endedAt: number;
  exitCode: number | null;
  /** When and how the plan ended it; undefined: it ended by itself. */
  killed: { at: number; how: string } | undefined;
  /** It had to be ended, because it did not end. */
  overran: boolean;
  log: string;
  /** Ids of our instances that existed when it ended. */
  alive: number[];
}

/** A death at a request holds that up so many simulated seconds, for the signal to arrive. */
const HELD_UP_SECONDS = 8;
/** Longer than any entry may run, in simulated seconds. */
const MOST_SECONDS: Record<Entry, number> = { main: 3000, post: 600, sweep: 600 };
const LOOK_EVERY_MS = 3;

/** Faults that hold up the request at which a process is to die, until the signal arrives. */
export function heldUp(death: Death | undefined): Faults {
  const moment = death?.moment;
  if (moment?.at === "service") {
    const { operation, nth, side: when } = moment;
    const delay = { operation, nth, when, caller: "account", kind: "delay", seconds: HELD_UP_SECONDS } as const;
    return { service: [delay], github: [] };
  }
  if (moment?.at === "github") {
    const { operation, nth, side: when } = moment;
    return { service: [], github: [{ operation, nth, when, kind: "delay", seconds: HELD_UP_SECONDS }] };
  }
  return { service: [], github: [] };
}

const running = new Set<RunningStage>();

/** Kills every entry that runs now: for the end of the suite before its time. */
export function endEntries(): void {
  for (const stage of running) stage.kill("SIGKILL");
}

/** Starts an entry, ends it as planned, and sees how. The faults must be set just before. */
export async function runEntry(
  session: SimulatedSession,
  entry: Entry,
  { start, death, alive }: { start: () => RunningStage; death: Death | undefined; alive: () => number[] },
): Promise<Stage> {
  const { clock } = session.sim;
  const startedAt = clock.now();
  const asked = session.sim.service.journal.entries.length;
  const stage = start();
  running.add(stage);
  let result: StageResult | undefined;
  let killed: Stage["killed"];
  let overran = false;
  let seen: Pick<Stage, "endedAt" | "alive"> = { endedAt: startedAt, alive: [] };
  void stage.done.then((ended) => {
    // At once: a moment later the world may be another one.
    seen = { endedAt: clock.now(), alive: alive() };
    result = ended;
  });
  while (result === undefined) {
    if (death && !killed && isTime(session, death.moment, { startedAt, asked })) {
      killed = { at: clock.now(), how: death.how };
      end(session, stage, death);
    }
    if (!overran && clock.now() - startedAt > MOST_SECONDS[entry] * 1000) {
      overran = true;
      stage.kill("SIGKILL");
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  running.delete(stage);
  const { exitCode, log } = result as StageResult;
  return { entry, startedAt, exitCode, log, killed, overran, ...seen };
}

function isTime(session: SimulatedSession, moment: Moment, since: { startedAt: number; asked: number }): boolean {
  switch (moment.at) {
    case "time":
      return session.sim.clock.now() >= since.startedAt + moment.seconds * 1000;
    case "job":
      return session.sim.clock.now() >= firstStart(session) + moment.seconds * 1000;
    case "github":
      return session.sim.github.arrived(moment.operation) >= moment.nth;
    case "service": {
      const entries = session.sim.service.journal.entries.slice(since.asked);
      const ours = entries.filter(({ operation, caller }) => operation === moment.operation && caller === "account");
      return ours.length >= moment.nth && (moment.side === "before" || isDone(ours[moment.nth - 1]));
    }
  }
}

/** When the first GPU job began; infinite: none did. */
export function firstStart({ run }: SimulatedSession): number {
  const starts = run.jobs().flatMap(({ name, startedAt }) => (name.startsWith("test") ? (startedAt ?? []) : []));
  return Math.min(...starts, Number.POSITIVE_INFINITY);
}

/** The effect is there as soon as the request is held up after it, or has been answered. */
function isDone(entry: { performed: boolean; outcome: string } | undefined): boolean {
  return entry !== undefined && (entry.performed || entry.outcome !== "pending");
}

function end(session: SimulatedSession, stage: RunningStage, { how }: Death): void {
  if (how === "cancel") {
    session.run.cancel();
    stage.cancel();
  } else stage.kill(how);
}
