import { expect, test } from "vitest";
import { judgeMachine } from "../../../src/fleet/decide/machines.ts";
import { commonCauses } from "../../../src/fleet/errors.ts";
import type { Ending } from "../../../src/fleet/state.ts";
import { aFleet, aPolicy, booting, NOW } from "../support/a-fleet.ts";

const failed = (n: number, given: Partial<Ending>) =>
  booting(n, { ending: { kind: "failed", why: "", isUnasked: false, since: NOW, ...given } });

test.each<[string, Partial<Ending>, string, string]>([
  ["a broken host", { blame: "machine" }, "2 broken hosts", "min-reliability"],
  ["a higher bid", { blame: "machine", isOutbid: true }, "2 outbid", "bid-price"],
  ["an account without credit", { blame: "machine", isStopped: true }, "2 that the service stopped", "credit"],
  ["a refused create", { blame: "refused" }, "2 that the service refused", "what the service said"],
  ["a price that rose", { blame: "price" }, "2 dearer than max-price", "max-price"],
])("%s is called by its name, and the hint is about it", (_what, given, words, todo) => {
  expect(commonCauses([failed(1, given), failed(2, given)])).toEqual({ words, todo: expect.stringContaining(todo) });
});

test("a machine that the service stopped while it booted is remembered as that", () => {
  const verdict = { kind: "failed", status: "exited", why: "the service stopped it", blame: "machine", stopped: true };
  const machine = booting(1, { verdict: verdict as never });
  expect(judgeMachine({ machine, fleet: aFleet([machine]), policy: aPolicy(), now: NOW })?.ending).toMatchObject({
    kind: "failed",
    isStopped: true,
  });
});
