import { describe, expect, test } from "vitest";
import { type Key, standing } from "../../../../src/fleet/renting/standing.ts";
import type { StoredMachine } from "../../../../src/fleet/state.ts";
import { faultOf, UserError } from "../../../../src/shared/user-error.ts";
import { aFleet, anEmptyMarket, MINUTE, NOW, SECOND } from "../../support/a-fleet.ts";
import { aCandidate } from "../../support/an-offer.ts";
import { anEnding, refused, UNCERTAIN } from "../../support/machine-parts.ts";
import { booting, spent, unmade } from "../../support/machines.ts";

const FAULT = faultOf(new UserError("No."));
const HOST = { candidate: aCandidate(1, 100) };

const gone = (n: number) => unmade(n, refused("offer-gone"), { ...HOST, ago: 0 });
const unanswered = (n: number) => unmade(n, UNCERTAIN, { ...HOST, ago: 0 });
const failed = (n: number, cause: "machine" | "image" | "outbid" = "machine") =>
  booting(n, { ...HOST, ending: anEnding("failed", { cause }), goneAt: NOW });
const times = (count: number, make: (n: number) => StoredMachine) =>
  Array.from({ length: count }, (_one, index) => make(index + 1));

describe("a pause, by what asked for it and how often", () => {
  test.each<[string, Key, StoredMachine[], number]>([
    ["an offer that was gone", "offer 1", times(1, gone), 5 * MINUTE],
    ["a create without an answer", "host 100", times(1, unanswered), 5 * MINUTE],
    ["a machine of the host that failed", "host 100", times(1, failed), 30 * MINUTE],
    ["one that was outbid", "host 100", [failed(1, "outbid")], 30 * MINUTE],
    ["a failure and a create without an answer: the longer", "host 100", [failed(1), unanswered(2)], 30 * MINUTE],
  ])("%s", (_what, key, machines, expected) => {
    expect((standing(aFleet(machines), key)?.until ?? 0) - NOW).toBe(expected);
  });

  const answer = { ...UNCERTAIN, at: NOW, jitter: 0 };

  test.each<[string, Key, StoredMachine[]]>([
    ["a create without an answer that a list showed after all", "host 100", [booting(1, { ...HOST, answer })]],
  ])("none: %s", (_what, key, machines) => {
    expect(standing(aFleet(machines, { market: undefined }), key)).toBeUndefined();
  });

  test("a job that begins on a host starts its count anew", () => {
    const served = spent(3, { ...HOST, job: { startedAt: NOW }, ending: anEnding("lost") });
    expect((standing(aFleet([failed(1), failed(2), served]), "host 100")?.until ?? 0) - NOW).toBe(30 * MINUTE);
  });
});

describe("where a longer pause is asked for", () => {
  const pause = (key: Key, given: Parameters<typeof aFleet>) => (standing(aFleet(...given), key)?.until ?? 0) - NOW;

  test("a create waits for it, and for no shorter one", () => {
    const slow = (waitMs: number) => unmade(1, refused("too-fast", { status: 429, waitMs }), { ago: 0 });
    expect(pause("create", [[slow(1000)]])).toBe(12 * SECOND);
    expect(pause("create", [[slow(5 * MINUTE)]])).toBe(5 * MINUTE);
    const fault = { ...FAULT, isPassing: true, waitMs: 5 * MINUTE };
    expect(pause("create", [[unmade(1, { kind: "unregistered", fault }, { ago: 0 })]])).toBe(5 * MINUTE);
  });

  test("a search does, and waits until a used up quota is full again, by the service's clock", () => {
    const market = (given: object) => ({
      market: anEmptyMarket({ nothing: { kind: "fault", fault: FAULT, ...given } }),
    });
    expect(pause("search", [[], market({})])).toBe(15 * SECOND);
    expect(pause("search", [[], market({ fault: { ...FAULT, waitMs: 5 * MINUTE } })])).toBe(5 * MINUTE);
    expect(pause("search", [[], { ...market({ quotaUntil: NOW + 9 * MINUTE }), aheadMs: MINUTE }])).toBe(8 * MINUTE);
  });
});
