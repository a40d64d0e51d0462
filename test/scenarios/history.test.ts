import { expect } from "vitest";
import { storedLog } from "../../simulator/actions/stored-log.ts";
import { test } from "../support/scenario.ts";
import { shownError } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, type SimulatedSession, UNHURRIED } from "../support/simulated-session.ts";

/** Says which workflow of which repository it is, as the platform does. */
function platform({ run }: Pick<SimulatedSession, "run">) {
  return {
    GITHUB_WORKFLOW_REF: "octo/gpu-lib/.github/workflows/gpu.yml@refs/heads/main",
    GITHUB_REPOSITORY_ID: String(run.repositoryId),
  };
}

/** Adds a later run of the same workflow, and a step in it. */
function laterRun(session: SimulatedSession, runId: number, inputs: Record<string, string> = {}) {
  const test = { ...gpuJob(), labels: [`gpu-${runId}-1`] };
  const run = session.sim.github.addRun({ repository: "octo/gpu-lib", runId, jobs: [RENT_JOB, test] });
  const env = { ...platform(session), GITHUB_RUN_ID: String(runId) };
  return { run, step: session.another({ with: inputs, env }) };
}

/** Plays main and post of a run, and stores their log. */
async function played(
  { run, step }: Pick<SimulatedSession, "run" | "step">,
  main: "mainSucceeds" | "mainFails" = "mainSucceeds",
) {
  const results = [await step[main](), await step.postSucceeds()] as const;
  run.job("rent").print(storedLog(results.map(({ log }) => log).join("")));
  run.job("rent").complete();
  return results;
}

test("the second run knows the host of the first, a check says so, and max-cost-30d counts both", async ({ start }) => {
  const session = await start(UNHURRIED);
  const [first, post] = await played({ run: session.run, step: session.another({ env: platform(session) }) });
  expect(first.log).toContain("Nothing is known of earlier runs: none of this workflow has left a history.");
  expect(post.log).toMatch(/::group::What the next run knows\n(known-1\.\S+\n){2,}::endgroup::\n$/);

  const second = laterRun(session, 4712);
  const [again, last] = await played(second);
  expect(again.log).toMatch(/^Known: 1 host, 1 that have this image, from run 4711 \(\S+ ago\)$/m);
  expect(last.summary).toContain("The last 2 runs:");

  const [checked] = await played(laterRun(session, 4713, { check: "true" }));
  expect(checked.log).toMatch(/^\? {3}the history of this workflow: Known: 1 host, .*, from run 4712 /m);
  const [dear] = await played(laterRun(session, 4714, { "max-cost-30d": "0.001" }), "mainFails");
  expect(shownError(dear.log)).toMatchObject({
    name: "MonthlyCostError",
    message: expect.stringMatching(/^This workflow has spent 0\.\d+ of 0\.001 USD in 30 days .*Nothing was rented\./),
  });
  expect(session.instances()).toHaveLength(2);
});

test("forged lines in a log are no history, and history: false neither looks nor leaves any", async ({ start }) => {
  const session = await start({ ...UNHURRIED, jobs: [{ ...RENT_JOB, status: "completed" }] });
  session.run.job("rent").print(`known-1.${"A".repeat(40)}.::error::x\nknown-1.${"A".repeat(22)}.${"B".repeat(80)}\n`);
  const [forged] = await played(laterRun(session, 4712, { check: "true" }));
  expect(forged.log).toContain(
    "the history of this workflow: Nothing is known of earlier runs: no line of run 4711 is of this workflow and api-key.",
  );

  const [off, post] = await played(laterRun(session, 4713, { check: "true", history: "false" }));
  expect(off.log).toContain("the history of this workflow: Nothing is known of earlier runs: history is false.");
  expect(post.log).not.toContain("What the next run knows");
  expect(forged.log + off.log + post.log).not.toContain("::error");
});
