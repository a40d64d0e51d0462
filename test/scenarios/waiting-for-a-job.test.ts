import { expect, test } from "vitest";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import { BUILD_JOB, gpuJob, RENT_JOB, startSession, until } from "../support/simulated-session.ts";

test.concurrent("a run whose GPU job was skipped rents nothing and ends with a warning", async () => {
  await using session = await startSession({
    jobs: [RENT_JOB, { ...BUILD_JOB, status: "completed" }, { ...gpuJob(), if: false }],
  });

  const main = await session.step.mainSucceeds();
  expect(shownWarnings(main.log)).toEqual([
    expect.stringContaining("No job in this run asks for the GPU runner, so nothing more is rented."),
  ]);
  expect(session.sim.service.journal.of("createInstance")).toEqual([]);
  expect(session.sim.github.journal.of("generateJitConfig")).toEqual([]);

  const post = await session.endClean();
  expect(post.log).toContain("Nothing was rented.");
});

test.concurrent("rents only when the GPU job is there, whose needs take a while", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }] });
  const stage = session.step.startMain();
  const lists = () => session.sim.github.journal.of("listJobs").length;
  await until(() => lists() >= 4, "some looks at the jobs");
  expect(stage.log()).toContain(
    "No job asks for the GPU runner yet (1 other job in this run, 1 of them open). Waiting up to 30m; nothing is rented.",
  );
  expect(session.sim.github.journal.of("generateJitConfig")).toEqual([]);
  expect(session.instances()).toEqual([]);
  // Unchanged lists are free.
  expect(
    session.sim.github.journal
      .of("listJobs")
      .map(({ status }) => status)
      .slice(1),
  ).toEqual(Array(lists() - 1).fill(304));
  session.run.job("build").complete();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.instances()).toHaveLength(1);

  await session.endClean();
});

test.concurrent("a GPU job that waits for an approval is not rented for", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, { ...gpuJob(), status: "waiting" }] });
  const stage = session.step.startMain();
  await until(() => session.sim.github.journal.of("listJobs").length >= 3, "some looks at the jobs");
  expect(session.instances()).toEqual([]);
  session.run.job("test").setStatus("queued");

  expect((await stage.done).exitCode).toBe(0);
  expect(session.run.job("test").conclusion).toBe("success");
  await session.endClean();
});

test.concurrent("fails when no job asks for the machine within wait-for-job, and says what to change in the workflow", async () => {
  await using session = await startSession({
    with: { "wait-for-job": "45s" },
    jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }],
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: "No job asked for the GPU runner gpu-4711-1 within wait-for-job (45s). Nothing was rented.",
    hint: expect.stringContaining("Give this job the same `needs:` as the GPU job"),
  });
  expect(session.instances()).toEqual([]);

  // No job of ours is listed: nothing waits, and the sweep sees to it in its turn.
  await session.endClean();
  expect(session.run.job("build").status).toBe("in_progress");
});

test.concurrent("a GPU job whose label lacks the attempt: fails after two minutes with the line to paste, and its run is cancelled", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, { ...gpuJob(), labels: ["gpu-4711"] }] });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: expect.stringMatching(
      /^'test' \(http.*\) asks for gpu-4711\. No runner has that label\. This run's runners have gpu-4711-1\. 'test' will be cancelled with the run once no other job is open\. Nothing was rented\.$/,
    ),
    hint: `Paste this into the job: \`runs-on: gpu-\${{ github.run_id }}-\${{ github.run_attempt }}\`.`,
  });
  expect(session.instances()).toEqual([]);

  await session.endClean();
  expect(session.run.job("test").conclusion).toBe("cancelled");
});

test.concurrent("a GPU job that needs the one that rents is in no list: fails as soon as the others are over, and GitHub skips it", async () => {
  await using session = await startSession({
    jobs: [RENT_JOB, { ...BUILD_JOB, status: "completed" }, { ...gpuJob(), needs: ["rent"] }],
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: "No GPU job came. Nothing was rented.",
    hint: expect.stringMatching(/^If it has `needs:` on this job, remove it\./),
  });

  await session.step.postSucceeds();
  session.run.job("rent").complete("failure");
  expect(session.run.job("test").conclusion).toBe("skipped");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("wait-for-job: 0s rents at once; when no job comes within idle-timeout, the runner goes first, then the machine", async () => {
  await using session = await startSession({
    with: { "wait-for-job": "0s", "idle-timeout": "30s" },
    jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }],
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: expect.stringMatching(/^No job asked for the GPU runner gpu-4711-1 within idle-timeout \(30s\)\. /),
    hint: expect.stringContaining("same `needs:`"),
  });
  expect(session.sim.github.runners()).toEqual([]);

  await session.endClean();
});

test.concurrent("goes on waiting while GitHub falters: a doubt is no evidence", async () => {
  await using session = await startSession();
  session.sim.github.setFaults([
    { operation: "listJobs", nth: 1, kind: "status", status: 502 },
    { operation: "listJobs", nth: 2, kind: "status", status: 429, headers: { "retry-after": "5" } },
    { operation: "listJobs", nth: 3, kind: "reset" },
  ]);

  await session.step.mainSucceeds();
  expect(session.run.job("test").conclusion).toBe("success");
  await session.endClean();
});

test.concurrent("a GPU job that asks for more labels than the machine's runner has would wait for ever: nothing is rented", async () => {
  await using session = await startSession({
    jobs: [RENT_JOB, { ...gpuJob(), labels: ["self-hosted", "gpu-4711-1"] }],
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: expect.stringContaining("also asks for the label self-hosted"),
    hint: expect.stringContaining("runs-on"),
  });
  expect(session.instances()).toEqual([]);
  await session.endClean();
});
