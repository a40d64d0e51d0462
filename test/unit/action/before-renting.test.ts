import { beforeEach, expect, test } from "vitest";
import { checkBeforeRenting, sweepFirst } from "../../../src/action/before-renting.ts";
import { NoCreditError } from "../../../src/machine/errors.ts";
import type { Session } from "../../../src/release/session.ts";
import { RUNNER_LABEL } from "../support/a-job.ts";
import { labelText, SWEEPER } from "../support/a-leftover.ts";
import { aRun } from "../support/a-run.ts";
import { clock, freshWorld, github, log, service } from "../support/fresh-world.ts";
import { FAULTS } from "../support/service-faults.ts";

freshWorld();

/** The service's answers: the list, and the account. */
let listed: [] | Error;
let account: { creditUsd?: number } | Error;

beforeEach(() => {
  listed = [];
  account = { creditUsd: 12.5 };
});

function checking(minCredit = 0) {
  const answer = <T>(given: T | Error) => (given instanceof Error ? Promise.reject(given) : Promise.resolve(given));
  const asked = { list: () => answer(listed), account: () => answer(account) };
  // All that is asked of the session here.
  const session = { run: aRun(), service: asked, runners: github.runners, log } as unknown as Session;
  return checkBeforeRenting(session, minCredit, new AbortController().signal);
}

test("brings the runner program and the list of instances, and says the credit, of which min-credit is enough", async () => {
  const download = { url: "https://github.example/runner.tar.gz", sha256: "ab".repeat(32) };
  expect(await checking(12.5)).toEqual({ download, credit: 12.5, instances: [] });
  expect(log.lines).toEqual(["The service's account has 12.50 USD of credit."]);
});

test.each([0, 5])("a credit that the service does not show is a warning, with min-credit: %d", async (minCredit) => {
  account = {};
  expect((await checking(minCredit)).credit).toBeUndefined();
  const what = minCredit > 0 ? "neither the credit nor min-credit was checked" : "the credit was not checked";
  expect(log.warnings).toEqual([expect.stringContaining(`Vast.ai does not show the account's credit, so ${what}.`)]);
});

test.each([
  [0, 0, NoCreditError],
  [4.998, 5, "has 4.998 USD of credit, less than min-credit (5.00 USD)."],
])("a credit of %d USD rents nothing with min-credit: %d", async (creditUsd, least, fault) => {
  account = { creditUsd };
  await expect(checking(least)).rejects.toThrow(fault);
});

test("a credit that the key may not read is a warning", async () => {
  account = FAULTS.forbidden;
  await checking();
  expect(log.warnings).toEqual([expect.stringContaining("user_read")]);
});

const rival = { id: 9, name: "left-over", labels: [RUNNER_LABEL], state: "online" as const };

test("the runner label of a runner that is registered already: names it, and rents nothing", async () => {
  github.registered = [rival];
  const message = expect.stringContaining("left-over");
  await expect(checking()).rejects.toMatchObject({ name: "LabelInUseError", message });
});

test("the runner label that is another run's is taken to be free", async () => {
  github.registered = [{ ...rival, labels: ["gpu-4711-2"] }];
  expect(await checking()).toMatchObject({ credit: 12.5 });
});

/** How many machines count as alive of those that are listed now, after a sweep. */
async function sweptFirst(): Promise<() => Promise<number>> {
  const session = {
    runs: { attempt: async () => ({ isCompleted: true, unchangedForMs: 3_600_000 }) },
    ...{ clock, log, service, run: aRun() },
    repositoryId: async () => SWEEPER.repositoryId,
  } as unknown as Session;
  const instances = await service.list();
  const aliveOf = await clock.run(sweepFirst(session, { instances, signal: new AbortController().signal }));
  return async () => aliveOf(await service.list()).length;
}

test("of a sweep before it what is being destroyed does not count for a minute; after that what is still listed bills", async () => {
  service.put({ id: 1, label: labelText({ runId: 1 }) });
  service.put({ id: 2, label: labelText({ runId: 1 }) });
  const alive = await sweptFirst();
  expect(await alive()).toBe(0);
  service.put({ id: 2, label: labelText({ runId: 1 }) });
  expect(await alive()).toBe(0);
  await clock.run(clock.sleep(60_000));
  expect(await alive()).toBe(1);
});

test("what the service refuses to destroy counts on", async () => {
  service.put({ id: 1, label: labelText({ runId: 1 }) });
  service.always("destroy", FAULTS.forbidden);
  expect(await (await sweptFirst())()).toBe(1);
});
