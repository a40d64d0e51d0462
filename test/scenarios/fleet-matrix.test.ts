import { expect } from "vitest";
import { conclusions, Gate, matrixOf, mostAlive, namesOf, plainOffers, untilBusy } from "../support/gpu-matrix.ts";
import { runnerConfigurations } from "../support/runner-configurations.ts";
import { test } from "../support/scenario.ts";
import { shownWarnings } from "../support/shown-error.ts";
import { until } from "../support/simulated-session.ts";

/** Users' defaults for the inputs that tests of one machine pin. */
const AS_USERS_HAVE_IT = { machines: undefined, hedge: undefined, order: undefined, "search-timeout": undefined };

test("a matrix of three jobs is served by three machines at once, with no further input", async ({ start }) => {
  using gate = new Gate();
  const names = namesOf(3);
  const session = await start({
    with: AS_USERS_HAVE_IT,
    jobs: matrixOf(3, gate.wait),
    scenario: { offers: plainOffers(6) },
  });
  const stage = session.step.startMain();
  await untilBusy(stage, names);
  gate.open();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(main.log).toContain("The 3 GPU jobs are over.");
  expect(conclusions(session, names)).toEqual(["success", "success", "success"]);
  expect(new Set(names.map((name) => session.run.job(name).runnerName)).size).toBe(3);
  // `machines` is 4: one spare may have been there.
  expect(mostAlive(session, names)).toBeLessThanOrEqual(4);
  const ids = session.instances().map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(JSON.parse(main.outputs["instance-ids"] ?? "")));
  expect(JSON.parse(main.outputs["runner-names"] ?? "")).toEqual(
    expect.arrayContaining(names.map((name) => session.run.job(name).runnerName)),
  );
});

test("four jobs and machines: 2: never more than two machines, and every job has its turn", async ({ start }) => {
  using gate = new Gate();
  const session = await start({
    with: { machines: "2" },
    jobs: matrixOf(4, gate.wait),
    scenario: { offers: plainOffers(6) },
  });
  const stage = session.step.startMain();
  await untilBusy(stage, namesOf(2));
  gate.open();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(conclusions(session, namesOf(4))).toEqual(["success", "success", "success", "success"]);
  expect(session.instances()).toHaveLength(4);
  expect(mostAlive(session, namesOf(4))).toBe(2);
});

test("max-parallel holds a job back: its machine is given back, and another one is rented when its turn comes", async ({
  start,
}) => {
  using gate = new Gate();
  const names = namesOf(2);
  const session = await start({
    with: { machines: "2", "idle-timeout": "30s" },
    jobs: matrixOf(2, gate.wait),
    matrices: { test: { maxParallel: 1 } },
    scenario: { offers: plainOffers(6) },
  });
  const stage = session.step.startMain();
  await until(() => session.destroyers().some(Boolean), "the end of the machine that no job may have");
  expect(shownWarnings(stage.log())).toContainEqual(expect.stringContaining("max-parallel, a concurrency group"));
  expect(conclusions(session, names)).toEqual([null, null]);
  gate.open();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(conclusions(session, names)).toEqual(["success", "success"]);
  expect(session.instances()).toHaveLength(3);
});

test("two jobs on one machine: a clean work folder, and the third registration, unused, is gone at the end", async ({
  start,
}) => {
  const names = namesOf(2);
  const session = await start({
    with: { machines: "1", "jobs-per-machine": "3" },
    // Jobs that last: one of no second has no bar in the summary.
    jobs: matrixOf(2, ['[ -z "$(ls -A)" ]', "echo of another job >left-behind", "sleep 20"]),
    scenario: { offers: plainOffers(3) },
  });

  await session.step.mainSucceeds();
  expect(conclusions(session, names)).toEqual(["success", "success"]);
  expect(session.instances()).toHaveLength(1);
  expect(new Set(names.map((name) => session.run.job(name).runnerName)).size).toBe(2);
  expect(runnerConfigurations(session.instances()[0]?.order.env ?? {})).toHaveLength(3);

  const post = await session.endClean();
  expect(post.summary).toMatch(/^### 2 GPU jobs ran on one machine: about /);
  expect(post.summary).toMatch(/section machine 1\n(?: {2}\w+ :.*\n)* {2}job 1 :/);
});
