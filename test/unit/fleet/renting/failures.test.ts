import { expect, test } from "vitest";
import { commonCauses, describeFailures } from "../../../../src/fleet/renting/failures.ts";
import type { Ending } from "../../../../src/fleet/state.ts";
import { anEnding, booting } from "../../support/a-fleet.ts";

const ended = (n: number, { kind = "failed", ...given }: Partial<Ending>) =>
  booting(n, { ending: anEnding(kind, given) });

test.each<[string, Partial<Ending>, string, string]>([
  ["a broken host", { cause: "machine" }, "2 broken hosts", "min-reliability"],
  ["a higher bid", { cause: "outbid" }, "2 outbid", "bid-price"],
  ["an account without credit", { cause: "stopped" }, "2 that the service stopped", "credit"],
  ["a refused create", { cause: "refused" }, "2 that the service refused", "what the service said"],
  ["a job that never came", { kind: "over" }, "2 to which no job came", "githubstatus.com"],
  ["a price that rose", { cause: "price" }, "2 dearer than max-price", "max-price"],
])("%s is called by its name, and the hint is about it", (_what, given, words, todo) => {
  expect(commonCauses([ended(1, given), ended(2, given)])).toEqual({ words, todo: expect.stringContaining(todo) });
});

test("a runner that was not online in time: what it said of GitHub is quoted, and of no other failure", () => {
  const connectError = "Runner connect error: Service Unavailable. Retrying until reconnected.";
  const described = (cause: Ending["cause"]) =>
    describeFailures([{ ...ended(1, { cause, why: "late" }), connectError }])[0];
  expect(described("online")).toMatch(/: late\. Its runner said: “Runner connect error: [^“]* reconnected\.”$/);
  expect(described("machine")).toMatch(/: late\.$/);
});
