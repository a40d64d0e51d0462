import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { shownWarnings } from "../support/shown-error.ts";
import { BUILD_JOB, gpuJob, RENT_JOB, until } from "../support/simulated-session.ts";

const AFTER_BUILD = { ...gpuJob(), needs: ["build"] };

test("a run whose GPU job was skipped rents nothing and ends with a warning, whatever its own job is called", async ({
  start,
}) => {
  // A reusable workflow names the job otherwise. Taken for another open one, it would wait for itself.
  const own = { ...RENT_JOB, name: "gpu / rent (4090)" };
  const session = await start({
    jobs: [own, { ...BUILD_JOB, status: "completed" }, { ...gpuJob(), if: false }],
    env: { RUNNER_NAME: undefined },
    checkRunId: "own",
  });

  const main = await session.step.mainSucceeds();
  expect(shownWarnings(main.log)).toEqual([
    expect.stringContaining("No job in this run asks for the GPU runner, so nothing more is rented."),
  ]);
  expect(session.sim.github.journal.of("generateJitConfig")).toEqual([]);

  const post = await session.endWithoutRenting();
  expect(post.log).toContain("Nothing was rented.");
});

test("rents only when the GPU job is there, whose needs take a while", async ({ start }) => {
  const session = await start({ jobs: [RENT_JOB, BUILD_JOB, AFTER_BUILD] });
  const stage = session.step.startMain();
  const lists = () => session.sim.github.journal.of("listJobs");
  await until(() => lists().length >= 4, "some looks at the jobs");
  expect(stage.log()).toContain(
    "No job asks for the GPU runner yet (1 other job in this run, 1 of them open). Waiting up to 30m; nothing is rented.",
  );
  expect(session.sim.github.journal.of("generateJitConfig")).toEqual([]);
  expect(session.instances()).toEqual([]);
  // Unchanged lists are free.
  const [, ...later] = lists().map(({ status }) => status);
  expect(new Set(later)).toEqual(new Set([304]));
  session.run.job("build").complete();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.instances()).toHaveLength(1);
});

test("wait-for-job: 0s rents at once; when no job comes within idle-timeout, the runner goes first, then the machine", async ({
  start,
}) => {
  const session = await start({
    with: { "wait-for-job": "0s", "idle-timeout": "30s" },
    jobs: [RENT_JOB, BUILD_JOB, AFTER_BUILD],
  });

  expect(await session.errorOfMain()).toMatchObject({
    name: "HoldError",
    message: expect.stringMatching(/^No job asked for the GPU runner gpu-4711-1 within idle-timeout \(30s\)\. /),
    hint: expect.stringContaining("same `needs:`"),
  });
  expect(session.instances()).toHaveLength(1);
});
