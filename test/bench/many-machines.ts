import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { gpuJob, RENT_JOB, type SimulatedSession, startSession } from "../support/simulated-session.ts";
import { ListeningRunner } from "./listening-runner.ts";

/** One session with so many GPU jobs, in simulated seconds and requests of our tokens and key. */
interface ManyMachines {
  /** From main's start to the last job's. */
  lastStart: number;
  /** Answers 429 of the service, in the whole session. */
  tooMany: number;
  /** While all jobs ran. */
  servicePerMinute: number;
  /** While all jobs ran: those that GitHub counts. */
  githubPerHour: number;
  /** From post's start to the end of the last instance. */
  giveBack: number;
}

/** So much faster than the wall clock: a busy computer must not be what is measured. */
const FACTOR = 10;
export const BOOT_SECONDS = 120;
/** From running to online. */
const PREPARE_SECONDS = 10;
/** How long all jobs run while requests are counted. */
const HOLD_SECONDS = 240;
/** In real time. */
const PATIENCE_MS = 120_000;

const STATUSES = [
  { after: 0, actual_status: null },
  { after: 5, actual_status: "loading" },
  { after: BOOT_SECONDS, actual_status: "running" },
];

/**
 * One session under the service's intervals: each job is started, all run for a while, then the run is
 * cancelled and post gives all back.
 */
export async function runManyMachines(count: number): Promise<ManyMachines> {
  const numbers = Array.from({ length: 2 * count }, (_, index) => index);
  const offers = numbers.map((index) => ({
    id: 100 + index,
    machine_id: 40_000 + index,
    dph_base: 0.3 + index / 1000,
  }));
  await using session = await startSession({
    factor: FACTOR,
    machines: false,
    scenario: { offers, statuses: STATUSES },
    jobs: [RENT_JOB, ...numbers.slice(0, count).map((index) => ({ ...gpuJob(), name: `test ${index}` }))],
    with: { machines: String(count) },
  });
  using listeners = new Listeners(session);
  const { clock } = session.sim;
  const start = clock.now();
  const main = session.step.startMain();
  await listeners.untilBusy(count, () => main.log());
  const lastStart = (clock.now() - start) / 1000;
  const before = requestsOf(session);
  await clock.sleep(HOLD_SECONDS * 1000);
  const after = requestsOf(session);
  main.cancel();
  await main.done;
  const postStart = clock.now();
  const post = await session.step.startPost().done;
  const ends = session.instances().map((instance) => destruction(instance)?.at ?? Number.NaN);
  if (session.stillBilling() !== "still billing: 0 instances") throw new Error(post.log);
  return {
    lastStart,
    tooMany: session.sim.service.journal.entries.filter(({ status }) => status === 429).length,
    servicePerMinute: ((after.service - before.service) / HOLD_SECONDS) * 60,
    githubPerHour: ((after.github - before.github) / HOLD_SECONDS) * 3600,
    giveBack: (Math.max(...ends) - postStart) / 1000,
  };
}

function requestsOf({ sim: { service, github } }: SimulatedSession): { service: number; github: number } {
  return {
    service: service.journal.entries.filter(({ caller }) => caller === "account").length,
    github: github.counted(github.runnerToken) + github.counted(github.jobToken),
  };
}

/** Connects the listener of each instance when its machine would have. */
class Listeners implements Disposable {
  readonly #session: SimulatedSession;
  readonly #byInstance = new Map<number, ListeningRunner>();
  #fault: unknown;

  constructor(session: SimulatedSession) {
    this.#session = session;
  }

  /** Throws, with what `log` says, when it takes too long. */
  async untilBusy(count: number, log: () => string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while ([...this.#byInstance.values()].filter(({ isBusy }) => isBusy).length < count) {
      if (this.#fault !== undefined) throw this.#fault;
      if (performance.now() > deadline) throw new Error(`Not all of ${count} jobs began: ${log()}`);
      this.#connect();
      await this.#session.sim.clock.sleep(1000);
    }
  }

  [Symbol.dispose](): void {
    for (const runner of this.#byInstance.values()) runner.stop();
  }

  #connect(): void {
    const { sim } = this.#session;
    const readyBefore = sim.clock.now() - (BOOT_SECONDS + PREPARE_SECONDS) * 1000;
    for (const instance of this.#session.instances()) {
      const isDue = instance.createdAt <= readyBefore && destruction(instance) === undefined;
      if (!isDue || this.#byInstance.has(instance.id)) continue;
      const runner = new ListeningRunner(sim.github.url, instance.order.env.GHR_JIT ?? "");
      this.#byInstance.set(instance.id, runner);
      runner.listen().catch((fault: unknown) => {
        this.#fault = fault;
      });
    }
  }
}
