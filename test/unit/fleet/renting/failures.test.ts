import { describe, expect, test } from "vitest";
import { adviceByWords, neededCuda } from "../../../../src/fleet/renting/alike.ts";
import { commonCauses, describeFailures } from "../../../../src/fleet/renting/failures.ts";
import type { Ending, Market, StoredMachine } from "../../../../src/fleet/state.ts";
import type { Candidate } from "../../../../src/offers/ranking.ts";
import { aFleet, aMarket, gpuJobs, NOW } from "../../support/a-fleet.ts";
import { aCandidate, anOffer } from "../../support/an-offer.ts";
import { commands, decideNow } from "../../support/decide-now.ts";
import { anEnding } from "../../support/machine-parts.ts";
import { booting, type MachineGiven, spent } from "../../support/machines.ts";

const endedAs = (n: number, { kind = "failed", ...given }: Partial<Ending>) =>
  booting(n, { ending: anEnding(kind, given) });

test.each<[string, Partial<Ending>, string, string]>([
  ["a broken host", { cause: "machine" }, "2 broken hosts", "min-reliability"],
  ["an account without credit", { cause: "stopped" }, "2 that the service stopped", "credit"],
  ["a refused create", { cause: "refused" }, "2 that the service refused", "what the service said"],
  ["a price that rose", { cause: "price" }, "2 dearer than max-price", "max-price"],
])("%s is called by its name, and the hint is about it", (_what, given, words, todo) => {
  expect(commonCauses([endedAs(1, given), endedAs(2, given)])).toEqual({ words, todo: expect.stringContaining(todo) });
});

test("a runner that was not online in time: what it said of GitHub is quoted, and of no other failure", () => {
  const connectError = "Runner connect error: Service Unavailable. Retrying until reconnected.";
  const described = (cause: Ending["cause"]) =>
    describeFailures([{ ...endedAs(1, { cause, why: "late" }), connectError }])[0];
  expect(described("online")).toMatch(/: late\. Its runner said: “Runner connect error: [^“]* reconnected\.”$/);
  expect(described("machine")).toMatch(/: late\.$/);
});

type Cause = NonNullable<ReturnType<typeof anEnding>["cause"]>;

const ended = (n: number, cause: Cause, why: string, given: MachineGiven = {}) =>
  booting(n, { ending: { ...anEnding("failed", { cause }), why }, goneAt: NOW, ...given });

describe("the CUDA version that hosts lack", () => {
  const SAID = "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver";
  const lacks = (n: number, why = SAID, given: MachineGiven = {}) => ended(n, "driver", why, given);
  const offers = (...versions: (number | undefined)[]): Partial<Market> => ({
    candidates: versions.map((cuda, index) => {
      const offer = anOffer({ id: 51 + index, machine_id: 5100 + index, ...(cuda && { cuda_max_good: cuda }) });
      return { ...aCandidate(51 + index), offer };
    }),
  });
  const asked = (machines: StoredMachine[], market = offers(12.4, 13)) =>
    neededCuda(aFleet(machines, { market: aMarket(market) }));

  test("is asked for once two hosts named the same one, and an offer of the last search has it", () => {
    expect(asked([lacks(1), lacks(2)])).toBe(12.8);
    expect(asked([lacks(1)])).toBeUndefined();
    expect(asked([lacks(1), lacks(2, SAID, { candidate: aCandidate(7, 100) })])).toBeUndefined();
    expect(asked([lacks(1), lacks(2, "unsatisfied condition: cuda >= 12.6")])).toBeUndefined();
    expect(asked([lacks(1), lacks(2)], offers(12.4, undefined))).toBeUndefined();
    expect(asked([lacks(1, "driver>=570"), lacks(2, "driver>=570")])).toBeUndefined();
  });

  test("is what the next search asks for; before it, an offer that has it is preferred", () => {
    const fleet = (market: Partial<Market>) =>
      aFleet([lacks(1), lacks(2)], { market: aMarket(market), jobs: gpuJobs({ waiting: 1 }) });
    expect(commands(fleet(offers(12.4, 13)))).toEqual(["create 52"]);
    expect(commands(fleet(offers(12.4)))).toEqual(["create 51"]);
    const old = { ...offers(12.4, 13), searchedAt: NOW - 61_000 };
    expect(decideNow(fleet(old)).commands).toMatchObject([{ kind: "search", leastCuda: 12.8 }]);
  });

  test("is named by the error, whatever is on offer", () => {
    expect(adviceByWords(aFleet([lacks(1), lacks(2)]))).toBe(" The image needs CUDA 12.8: set `min-cuda: 12.8`.");
  });
});

describe("the same words from several hosts", () => {
  const advice = (machines: StoredMachine[]) => adviceByWords(aFleet(machines));
  const SUSPECT = " hosts said the same, so look at the image and at env, too.";
  const broken = (n: number, why: string, given: MachineGiven = {}) => ended(n, "machine", why, given);
  const exited = (n: number, candidate = aCandidate(n)) =>
    broken(n, `exited: container C.${700 + n} of 0a1b2c3d4e5f${n} ended, "gpu-${n}" code 137`, { candidate });
  const PROVEN = { bootMs: 1, standing: "proven" } as Candidate["expected"];

  test("make the image and the inputs suspect, less names, numbers and hexadecimal ids", () => {
    expect(advice([exited(1), exited(2)])).toBe(` Both${SUSPECT}`);
    expect(advice([1, 2, 3, 4].map((n) => exited(n)))).toBe(` All 4${SUSPECT}`);
    expect(advice([exited(1), exited(2), broken(3, "no space left on device")])).toBe(` 2 of 3${SUSPECT}`);
  });

  test("and for what the runner, the script or a host that never ran said", () => {
    const by = (n: number, given: MachineGiven) => ended(n, "boot", `it took 1${n} min`, given);
    const both = (given: (n: number) => MachineGiven) => advice([1, 2].map((n) => by(n, given(n))));
    const says = (text: string) => ({ verdict: { kind: "pending", status: "loading", says: text } }) as const;
    expect(both((n) => ({ words: { by: "script", text: `No curl ${n}.` } }))).toBe(` Both${SUSPECT}`);
    expect(advice([1, 2].map((n) => ({ ...by(n, {}), connectError: "No route" })))).toBe(` Both${SUSPECT}`);
    expect(both(() => says("no puede abrir"))).toBe(` Both${SUSPECT}`);
    expect(both((n) => says(`${"un".repeat(n)} otro`))).toBe("");
  });

  test.each<[string, StoredMachine[]]>([
    ["hosts that were only slow", [1, 2].map((n) => ended(n, "boot", "it did not reach running"))],
    ["one host alone", [1, 2].map((n) => exited(n, aCandidate(n, 100)))],
    ["hosts that served before", [1, 2].flatMap((n) => [spent(n, { goneAt: NOW }), exited(n + 2, aCandidate(n))])],
    ["hosts that served in an earlier run", [1, 2].map((n) => exited(n, { ...aCandidate(n), expected: PROVEN }))],
  ])("suspect nothing: %s", (_what, machines) => {
    expect(advice(machines)).toBe("");
  });
});
