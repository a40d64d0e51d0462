import { expect, test } from "vitest";
import { Repositories } from "../../simulator/github/repositories.ts";
import { Dispatcher } from "../../simulator/github/runners/dispatcher.ts";
import { brokeOff, Runners } from "../../simulator/github/runners/runners.ts";
import { Runs } from "../../simulator/github/runs/runs.ts";
import { handClock } from "./service-under-test.ts";

const MINUTE = 60;

/** A runner that has been given the job of a run. */
async function assigned() {
  const clock = handClock();
  const runners = new Runners();
  const runs: Runs = new Runs(clock, new Repositories(), (job) => dispatcher.jobChanged(job));
  const dispatcher = new Dispatcher(clock, runners, runs);
  const runner = runners.register({ home: "octo/lib", name: "one", labels: ["gpu"], groupId: 1, workFolder: "_work" });
  dispatcher.connect(runner, "2.337.0");
  const run = runs.add({ repository: "octo/lib", jobs: [{ name: "test", labels: ["gpu"], run: ["true"] }] });
  const [job] = run.jobs;
  if (job === undefined) throw new Error("The run has no job.");
  expect(await dispatcher.nextMessage(runner, new AbortController().signal)).toBe("job");
  const fallSilent = () => {
    if (runner.session) brokeOff(runner.session, clock);
  };
  return { clock, runners, runs, dispatcher, runner, run, job, fallSilent };
}

test("a job whose runner was killed fails 9 min 40 s later, and its step stays open", async () => {
  const { clock, dispatcher, runner, job, fallSilent } = await assigned();
  dispatcher.begin(runner, job);
  fallSilent();
  clock.advance(9 * MINUTE + 30);
  expect(job.status).toBe("in_progress");
  clock.advance(16);
  expect([job.status, job.conclusion]).toEqual(["completed", "failure"]);
  expect(job.steps.map(({ status }) => status)).toEqual(["completed", "in_progress"]);
});

test("a job that was acquired and never started is cancelled after 15 min 14 s, and no other runner gets it", async () => {
  const { clock, dispatcher, runner, runners, job, fallSilent } = await assigned();
  dispatcher.bind(job);
  fallSilent();
  clock.advance(2 * MINUTE);
  const other = runners.register({ ...runner, name: "two" });
  dispatcher.connect(other, "2.337.0");
  const asked = new AbortController();
  const waits = dispatcher.nextMessage(other, asked.signal);
  clock.advance(13 * MINUTE + 13);
  expect(job.status).toBe("queued");
  clock.advance(1);
  expect([job.status, job.conclusion, job.runner]).toEqual(["completed", "cancelled", null]);
  asked.abort();
  expect(await waits).toBe("none");
});

test("a runner's record outlives its job by some seconds, busy, and its configuration serves nobody", async () => {
  const { clock, dispatcher, runner, runners, job } = await assigned();
  dispatcher.begin(runner, job);
  dispatcher.finish(runner, job, { conclusion: "success", log: "" });
  expect([runners.find("octo/lib", runner.id)?.job, runners.bySecret(runner.secret)]).toEqual([job, undefined]);
  expect(dispatcher.isOnline(runner)).toBe(false);
  clock.advance(10);
  expect(runners.all()).toEqual([]);
});

test("after a force-cancel the record is there too, and not busy any more", async () => {
  const { clock, dispatcher, runner, runners, runs, run, job } = await assigned();
  dispatcher.begin(runner, job);
  runs.forceCancel(run);
  expect([job.conclusion, runners.find("octo/lib", runner.id)?.job]).toEqual(["cancelled", null]);
  clock.advance(10);
  expect(runners.all()).toEqual([]);
});
