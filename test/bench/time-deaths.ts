import type { RunningStage } from "../../simulator/actions/stage.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import {
  ENDLESS_JOB,
  gpuJob,
  RENT_JOB,
  type SessionOptions,
  type SimulatedSession,
  startSession,
  until,
} from "../support/simulated-session.ts";
import { RUNNING_JOB, startSweep } from "../support/sweep-of-account.ts";

/**
 * `node test/bench/time-deaths.ts [runs]`: the worst of so many runs (3) for each kind of death, on
 * a clock that is 20 times as fast. The start of a process, which is as long as ever, counts 20
 * times. The table of docs/internals/bill.md is made with it.
 */

/** A death, and the time that the bill goes on after it: simulated seconds, of one session. */
interface Death {
  name: string;
  /** The promise of docs/internals/bill.md. */
  promise: string;
  measure(): Promise<number>;
}

const HELD: SessionOptions = { jobs: [RENT_JOB, ENDLESS_JOB] };

/** From a moment until the last instance is destroyed. */
async function untilGone(session: Pick<SimulatedSession, "sim">, from: number): Promise<number> {
  const all = () => session.sim.service.instances();
  await until(() => all().every((instance) => destruction(instance) !== undefined), "the end of every instance");
  return (Math.max(...all().map((instance) => destruction(instance)?.at ?? 0)) - from) / 1000;
}

/** Rents, waits until the log of main says `sign`, lets `die` happen, and runs post after main. */
async function after(
  options: SessionOptions,
  sign: string,
  die: (main: RunningStage, session: SimulatedSession) => unknown,
): Promise<number> {
  await using session = await startSession(options);
  const main = await session.mainUntil(sign);
  const from = session.sim.clock.now();
  await die(main, session);
  await main.done;
  await session.step.startPost().done;
  return await untilGone(session, from);
}

const isKilled = (main: RunningStage) => main.kill("SIGKILL");

const RUNS = "busy with ";

/** Each kind of death that ends a session early, in the order of the safeguards. */
const DEATHS: readonly Death[] = [
  {
    name: "the run is cancelled while the job runs",
    promise: "seconds",
    measure: () => after(HELD, RUNS, (main) => main.cancel()),
  },
  { name: "main is killed while the job runs", promise: "seconds", measure: () => after(HELD, RUNS, isKilled) },
  {
    name: "main is killed in a create whose instance turns up 20 s later",
    promise: "40 s and some",
    measure: () =>
      after(
        { scenario: { faults: [{ operation: "createInstance", kind: "delay", seconds: 20, when: "before" }] } },
        "Creating an instance",
        async (main, session) => {
          await until(() => session.sim.service.journal.of("createInstance").length === 1, "the create");
          isKilled(main);
        },
      ),
  },
  {
    name: "main is killed while the job runs, and the service can't destroy for two minutes",
    promise: "as soon as it is back",
    measure: () =>
      after(HELD, RUNS, (main, { sim }) => {
        sim.service.setFaults([{ operation: "destroyInstance", caller: "account", kind: "status", status: 503 }]);
        sim.clock.after(120_000, () => sim.service.setFaults([]));
        isKilled(main);
      }),
  },
  {
    name: "a machine never reaches running (boot-timeout 10m)",
    promise: "boot-timeout",
    measure: () =>
      after(
        {
          with: { attempts: "1", "boot-timeout": "10m", "if-no-machine": "leave" },
          scenario: { offers: [{ id: 11, simulate: { statuses: [{ after: 1, actual_status: "loading" }] } }] },
        },
        "is created",
        () => undefined,
      ),
  },
  {
    name: "no post: the job ends by itself",
    promise: "at once",
    measure: async () => {
      await using session = await startSession({ jobs: [RENT_JOB, gpuJob(["sleep 60"])] });
      isKilled(await session.mainUntilJobRuns());
      await until(() => session.run.job("test").status === "completed", "its end");
      return await untilGone(session, session.sim.clock.now());
    },
  },
  {
    name: "no post, and no job comes (idle-timeout 5m), from its runner online",
    promise: "idle-timeout + 2 min",
    measure: async () => {
      await using session = await startSession({ with: { hold: "false" }, jobs: [RENT_JOB] });
      const main = session.step.startMain();
      await until(() => session.sim.github.runners().some(({ online }) => online), "the runner");
      const from = session.sim.clock.now();
      main.kill("SIGKILL");
      return await untilGone(session, from);
    },
  },
  {
    name: "no post, and the job hangs: from the deadline",
    promise: "at the deadline",
    measure: async () => {
      const times = { "max-lifetime": "3m", "boot-timeout": "2m", "online-timeout": "1m" };
      await using session = await startSession({ ...HELD, with: times });
      isKilled(await session.mainUntil(RUNS));
      const deadline = Number(session.instances()[0]?.order.env.GHR_DEADLINE) * 1000;
      return await untilGone(session, deadline);
    },
  },
  {
    name: "no post, a machine that can't end itself, and the sweep: from the run's end",
    promise: "about two minutes, with what GitHub takes to start it",
    measure: async () => {
      await using session = await startSweep();
      const run = session.addRun(4711, [RUNNING_JOB]);
      session.leftover({ runId: 4711 });
      run.job("rent").complete();
      const from = session.sim.clock.now();
      await session.step.startMain().done;
      return await untilGone(session, from);
    },
  },
];

const runs = Number(process.argv[2] ?? 3);

console.log(`| what dies | worst of ${runs}, in seconds | promised |`);
console.log("|---|--:|---|");
for (const { name, promise, measure } of DEATHS) {
  let worst = 0;
  for (let round = 0; round < runs; round += 1) worst = Math.max(worst, await measure());
  console.log(`| ${name} | ${Math.round(worst)} | ${promise} |`);
}
