import { expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { conclusions, Gate, matrixOf, mostAlive, namesOf, plainOffers, untilBusy } from "../support/gpu-matrix.ts";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import { type SimulatedSession, startSession, until } from "../support/simulated-session.ts";

/** Users' defaults for the inputs that tests of one machine pin. */
const AS_USERS_HAVE_IT = { machines: undefined, hedge: undefined, order: undefined, "search-timeout": undefined };

test.concurrent("a matrix of three jobs is served by three machines at once, with no further input", async () => {
  using gate = new Gate();
  const names = namesOf(3);
  await using session = await startSession({
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

  const post = await session.endClean();
  expect(session.sim.github.runners(), post.log).toEqual([]);
});

test.concurrent("four jobs and machines: 2: never more than two machines, and every job has its turn", async () => {
  await using session = await startSession({
    with: { machines: "2" },
    jobs: matrixOf(4),
    scenario: { offers: plainOffers(6) },
  });

  await session.step.mainSucceeds();
  expect(conclusions(session, namesOf(4))).toEqual(["success", "success", "success", "success"]);
  expect(session.instances()).toHaveLength(4);
  expect(mostAlive(session, namesOf(4))).toBe(2);

  await session.endClean();
});

test.concurrent("max-parallel holds a job back: its machine is given back, and another one is rented when its turn comes", async () => {
  using gate = new Gate();
  const names = namesOf(2);
  await using session = await startSession({
    with: { machines: "2", "idle-timeout": "30s" },
    jobs: matrixOf(2, gate.wait),
    matrices: { test: { maxParallel: 1 } },
    scenario: { offers: plainOffers(6) },
  });
  const stage = session.step.startMain();
  const isGone = () => session.instances().some((each) => destruction(each) !== undefined);
  await until(isGone, "the end of the machine that no job may have");
  expect(shownWarnings(stage.log())).toContainEqual(expect.stringContaining("max-parallel, a concurrency group"));
  expect(conclusions(session, names)).toEqual([null, null]);
  gate.open();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(conclusions(session, names)).toEqual(["success", "success"]);
  expect(session.instances()).toHaveLength(3);

  await session.endClean();
});

test.concurrent("a job that rents and is itself one of a fail-fast matrix is refused before anything is rented", async () => {
  await using session = await startSession({ with: { "strategy-job-total": "3" }, jobs: matrixOf(2) });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "FailFastError",
    message: expect.stringContaining("one of 3 of a matrix with fail-fast on"),
    hint: expect.stringContaining("fail-fast: false"),
  });
  expect(session.sim.github.journal.of("generateJitConfig")).toEqual([]);
  expect(session.instances()).toEqual([]);

  await session.endClean();
});

/** Requests a minute while all jobs run, between the ends of so many lists of instances. */
async function looking(count: number): Promise<{ github: number; service: number }> {
  using gate = new Gate();
  await using session = await startSession({
    with: { machines: String(count) },
    jobs: matrixOf(count, gate.wait),
    scenario: { offers: plainOffers(6) },
  });
  const stage = session.step.startMain();
  await untilBusy(stage, namesOf(count));
  const from = asked(session);
  await until(() => asked(session).lists >= from.lists + 8, "some looks");
  const to = asked(session);
  gate.open();
  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  await session.endClean();
  const minutes = (to.at - from.at) / 60_000;
  return { github: (to.github - from.github) / minutes, service: (to.service - from.service) / minutes };
}

function asked({ sim: { clock, github, service } }: SimulatedSession) {
  const ours = service.journal.entries.filter(({ caller }) => caller === "account");
  return {
    at: clock.now(),
    lists: ours.filter(({ operation }) => operation === "listInstances").length,
    service: ours.length,
    github: github.journal.entries.filter(({ token }) => token === "job" || token === "runner").length,
  };
}

test.concurrent("to hold four machines asks the service and GitHub at most twice as often as to hold one", async () => {
  const [one, four] = await Promise.all([looking(1), looking(4)]);
  expect(one.service).toBeGreaterThan(0);
  expect(four.service).toBeLessThanOrEqual(2 * one.service);
  expect(one.github).toBeGreaterThan(0);
  expect(four.github).toBeLessThanOrEqual(2 * one.github);
});
