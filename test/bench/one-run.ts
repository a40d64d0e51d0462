import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RENT_JOB, startSession, until } from "../support/simulated-session.ts";

/** One session on the real clock, in milliseconds. */
export interface RunTimes {
  /** From the runner being online to main's end (hold: false). */
  onlineToEnd: number;
  /** The shortest time between two looks at the service while main waited. */
  shortestLookGap: number;
  /** From post's process start to the arrival of its first DELETE. */
  postToDelete: number;
  /** From container start to runner online, without the wait that the stand-in runner is given. */
  containerToOnline: number;
  /** The machine's own word on where that time went. */
  stages: string;
}

const RUNNER_DELAY_SECONDS = 15;
/** Preparing takes a while on every real machine: main has seen it running by then. */
const SLOW_RUNNER = { id: 11, simulate: { machine: { listenerDelaySeconds: RUNNER_DELAY_SECONDS } } };

/** Rents a machine whose container starts after that many seconds, in real time. */
export async function timeOneRun(runningAfter: number): Promise<RunTimes> {
  const statuses = [
    { after: 0, actual_status: null },
    { after: 2, actual_status: "loading" },
    { after: runningAfter, actual_status: "running" },
  ];
  await using session = await startSession({
    factor: 1,
    scenario: { statuses, offers: [SLOW_RUNNER] },
    jobs: [RENT_JOB],
    with: { hold: "false" },
  });
  const main = session.step.startMain();
  await until(() => session.events.some((line) => line.endsWith("container started")), "the container");
  const container = performance.now();
  await until(() => session.sim.github.runners().some((runner) => runner.online), "the runner to be online");
  const online = performance.now();
  const containerToOnline = online - container - RUNNER_DELAY_SECONDS * 1000;
  const stages = stagesOf(session);
  const result = await main.done;
  const onlineToEnd = performance.now() - online;
  if (result.exitCode !== 0) throw new Error(result.log);
  const looks = looksAfterCreate(session);
  const gaps = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
  const start = Date.now();
  await session.step.startPost().done;
  const firstDelete = times(session, "destroyInstance")[0] ?? Number.NaN;
  return {
    onlineToEnd,
    shortestLookGap: Math.min(...gaps),
    postToDelete: firstDelete - start,
    containerToOnline,
    stages,
  };
}

function stagesOf({ sim, instances }: Awaited<ReturnType<typeof startSession>>): string {
  const folder = sim.machines?.root(instances()[0]?.id ?? 0) ?? "";
  const log = readFileSync(join(folder, "opt/ghr/log"), "utf8");
  return /Ready to listen after .*/.exec(log)?.[0] ?? "nothing";
}

/** Main's looks at its machine, by whichever of the two operations. */
function looksAfterCreate(session: Awaited<ReturnType<typeof startSession>>): number[] {
  const [created = 0] = times(session, "createInstance");
  const all = [...times(session, "getInstance"), ...times(session, "listInstances")];
  return all.filter((at) => at > created).sort((left, right) => left - right);
}

function times(session: Awaited<ReturnType<typeof startSession>>, operation: string): number[] {
  return session.sim.service.journal.entries
    .filter((entry) => entry.operation === operation && entry.caller === "account")
    .map((entry) => Number(new Date(entry.at)));
}

/** From SIGINT to main's end while nothing is in flight: it waits for a job, between two looks. */
export async function timeCancel(): Promise<number> {
  const jobs = [
    { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" as const, runnerName: "hosted-1" },
    { name: "build", labels: ["ubuntu-latest"], status: "in_progress" as const },
  ];
  await using session = await startSession({ factor: 1, machines: false, jobs });
  const main = session.step.startMain();
  await until(() => main.log().includes("nothing is rented."), "main to wait for a job");
  const start = performance.now();
  main.cancel();
  const { signal } = await main.done;
  if (signal !== null) throw new Error(`Main had to be ended by ${signal}.`);
  return performance.now() - start;
}
