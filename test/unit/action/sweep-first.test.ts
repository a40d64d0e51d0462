import { expect, test } from "vitest";
import { sweepFirst } from "../../../src/action/before-renting.ts";
import type { Session } from "../../../src/release/session.ts";
import { labelText, SWEEPER } from "../support/a-leftover.ts";
import { aRun } from "../support/a-run.ts";
import { clock, freshWorld, service } from "../support/fresh-world.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { FAULTS } from "../support/service-faults.ts";

freshWorld();

/** How many machines count as alive of those that are listed now, after a sweep. */
async function sweptFirst(): Promise<() => Promise<number>> {
  const signal = new AbortController().signal;
  const session = {
    runs: { attempt: async () => ({ isCompleted: true, unchangedForMs: 3_600_000 }) },
    clock,
    log: new RecordedLog(),
    repositoryId: async () => SWEEPER.repositoryId,
    run: aRun(),
    service: service,
  } as unknown as Session;
  const instances = await service.list();
  const aliveOf = await clock.run(sweepFirst(session, { instances, signal }));
  return async () => aliveOf(await service.list()).length;
}

test("what is being destroyed does not count for a minute; after that what is still listed bills", async () => {
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
  const alive = await sweptFirst();
  expect(await alive()).toBe(1);
});

test("with nothing of ours there, what comes later counts", async () => {
  service.put({ id: 1, label: "my notebook" });
  const alive = await sweptFirst();
  expect(await alive()).toBe(0);
  service.put({ id: 2, label: labelText({ runId: 1 }) });
  expect(await alive()).toBe(1);
});
