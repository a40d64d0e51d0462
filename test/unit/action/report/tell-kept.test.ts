import { expect, test } from "vitest";
import type { MachineRecord } from "../../../../src/create/machine-record.ts";
import { KeptTeller } from "../../../../src/report/announce.ts";
import { aFleet, aPolicy, NOW, ready } from "../../support/a-fleet.ts";
import { RecordedLog } from "../../support/recorded-log.ts";

test("a machine that is kept costs what the service asks for it by now, not what its offer said", () => {
  const job = { id: 101, name: "test", url: undefined, isOver: true, isBad: true, hasFailed: true };
  const report = { at: { asked: 0 }, price: { total: 1.2, storage: 0 }, last: "ready" } as MachineRecord;
  const ending = { kind: "over", why: "'test' ran on it", isUnasked: true, since: NOW } as const;
  const uses = [{ runnerId: 21, runnerName: "gpu-1", job, spentAt: NOW }];
  const log = new RecordedLog();
  new KeptTeller().look(
    aFleet([ready(1, { ending, report, uses })]),
    aPolicy({ keepFailedMs: 600_000 }),
    "ssh_proxy",
    log,
  );
  expect(log.warnings).toEqual([expect.stringContaining("It costs 0.0200 USD a minute")]);
});
