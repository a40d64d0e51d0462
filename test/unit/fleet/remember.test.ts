import { describe, expect, test } from "vitest";
import { Rememberer } from "../../../src/fleet/remember.ts";
import type { FleetRequest } from "../../../src/fleet/state/fleet-request.ts";
import type { Ending, Machine } from "../../../src/fleet/state/machine.ts";
import type { Fate } from "../../../src/market/history/history.ts";
import { aFleet, booting, busy, NOW, starting } from "../support/a-fleet.ts";
import { RentingWorld } from "../support/renting-world.ts";

type Image = FleetRequest["image"];
const IMAGE: Image = { name: "debian:13", bytes: 3e9, isDevel: false, decidesBoot: true };

/** The history's news of one machine. */
function told(machine: Machine, image: Image = IMAGE): Fate[] {
  const fates: Fate[] = [];
  const history = { known: new Map(), isKept: false, note: (fate: Fate) => void fates.push(fate) };
  const rememberer = new Rememberer(history, new RentingWorld().request({ image }));
  rememberer.look(aFleet([machine]));
  rememberer.look(aFleet([machine]));
  return fates;
}

const ended = (given: Partial<Ending>): Ending => ({ kind: "failed", why: "", isUnasked: false, since: NOW, ...given });

test("a boot, a job and a failure are told, once each", () => {
  expect(told(starting(1)).map(({ kind }) => kind)).toEqual(["booted"]);
  expect(told(busy(1)).map(({ kind }) => kind)).toEqual(["booted", "served"]);
  expect(told(booting(1, { ending: ended({ blame: "boot" }) }))).toEqual([{ kind: "failed", machine: 100, at: NOW }]);
});

describe("the image that a machine has now", () => {
  const markOf = (image: Partial<Image>) =>
    told(starting(1), { ...IMAGE, ...image }).flatMap((fate) => (fate.kind === "booted" ? [fate.image] : []));

  test("is another one when its tag names other content", () => {
    expect(markOf({})).toEqual(markOf({}));
    expect(markOf({ bytes: 4e9 })).not.toEqual(markOf({}));
  });

  test("is not that of another template", () => {
    expect(markOf({ name: "4e17788f74f075dd" })).not.toEqual(markOf({ name: "aaaa788f74f075dd" }));
  });
});

describe("no host's fault, and not held against it:", () => {
  test.each<[string, Partial<Ending>]>([
    ["an image that can't be pulled", { blame: "image" }],
    ["a higher bid", { blame: "machine", isOutbid: true }],
    ["a higher bid under a job", { kind: "lost", isOutbid: true }],
    ["an account without credit", { blame: "machine", isStopped: true }],
    ["an account without credit, under a job", { kind: "lost", isStopped: true }],
    ["a refused create that made an instance all the same", { blame: "refused" }],
  ])("%s", (_what, given) => {
    expect(told(booting(1, { ending: ended(given) }))).toEqual([]);
  });
});
