import { expect, test } from "vitest";
import type { StoredMachine } from "../../../src/fleet/state.ts";
import type { MachineRecord } from "../../../src/machine/record.ts";
import { attemptLines, logMachinesAtEnd } from "../../../src/report/machine-table.ts";
import { aFleet, anEnding, booting, NOW } from "../support/a-fleet.ts";
import { aFailedRecord, aRecord, START } from "../support/a-session-report.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";

/** Numbered from 1 on. */
const numbered = (...records: MachineRecord[]) => records.map((record, index) => ({ machineNo: index + 1, record }));

test("an aligned table: how long each stage took, its jobs, and why it ended", () => {
  const jobs = [
    { name: "test (1)", conclusion: "success", seconds: 600 },
    { name: "test (2)", conclusion: "failure", seconds: 1800 },
  ];
  const machines = numbered(
    aFailedRecord(),
    aFailedRecord({
      offer: { id: 12, gpuName: "RTX 4090", numGpus: 1 },
      price: { total: 0.5, storage: 0 },
      isUnneeded: true,
      last: "no job needs it",
    }),
    aRecord({ last: "ready", jobs }),
  );
  expect(attemptLines(machines, 2, START)).toEqual([
    "The machines of this session:",
    "  #  host     offer  instance  GPU           price per hour  rented for  stages                                       cost        jobs                                                                              why it ended",
    "  1  501      10     7001000   1 × RTX 4090  0.60 USD        5m          booting 5m                                   0.0050 USD  –                                                                                 it is exited",
    "  2  unknown  12     7001000   1 × RTX 4090  0.50 USD        5m          booting 5m                                   0.00 USD    spare                                                                             no job needs it",
    "  3  40211    11     7001001   1 × RTX 4090  0.60 USD        1h          booting 1m 33s, starting 45s, ready 57m 42s  0.59 USD    job 1, test (1): success, 10m, 0.15 USD; job 2, test (2): failure, 30m, 0.44 USD  ready",
    "2 offers were gone when they were asked for.",
  ]);
});

test("foreign text stays in its line", () => {
  const evil = aFailedRecord({ last: "no space\n::error::obey", offer: { id: 1, gpuName: "RTX\n4090", numGpus: 1 } });
  const lines = attemptLines(numbered(evil), 0, START);
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatch(/1 × RTX 4090 .*no space ::error::obey$/);
});

const failed = booting(1, { ending: anEnding("failed", { why: "it is exited" }), goneAt: NOW });

function logged(machines: StoredMachine[], work: () => void = () => {}): string[] {
  const log = new RecordedLog();
  try {
    using _told = logMachinesAtEnd({ log, clock: new HandWoundClock() }, aFleet(machines));
    work();
  } catch {
    // Its error is another test's.
  }
  return log.lines;
}

test("it is logged when main fails, too", () => {
  const fail = () => {
    throw new Error("No machine.");
  };
  expect(logged([failed], fail).at(-1)).toContain("it is exited");
});
