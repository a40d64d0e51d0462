import { expect, test } from "vitest";
import { KeptAnnouncer } from "../../../../src/report/announce.ts";
import { aFleet, anEnding, someOptions, spent } from "../../support/a-fleet.ts";
import { RecordedLog } from "../../support/recorded-log.ts";

test("a machine that is kept costs what the service asks for it by now, not what its offer said", () => {
  const job = { isBad: true, conclusion: "failure" };
  const kept = spent(1, { ending: anEnding("over", { force: true }), usdPerHour: 1.2, job });
  const log = new RecordedLog();
  new KeptAnnouncer().look(aFleet([kept]), someOptions({ keepFailed: 600_000 }), "ssh_proxy", log);
  expect(log.warnings).toEqual([expect.stringContaining("It costs 0.0200 USD a minute")]);
});
