import { expect, test } from "vitest";
import { Fault as GithubFault } from "../../../simulator/github/faults.ts";
import { Fault as ServiceFault } from "../../../simulator/scenario/fault.ts";
import { Scenario } from "../../../simulator/scenario/scenario.ts";
import { Dice } from "./dice.ts";
import { drawRun } from "./draw-run.ts";

const MANY = Array.from({ length: 400 }, (_, index) => drawRun(7, index));

test("the same seed and index give the same run, others another one", () => {
  expect(drawRun(7, 3)).toEqual(MANY[3]);
  expect(drawRun(7, 4)).not.toEqual(MANY[3]);
  expect(drawRun(8, 3)).not.toEqual(MANY[3]);
});

test("what is drawn are scenarios and faults that the simulator takes", () => {
  const byEntry = MANY.flatMap(({ faults }) => Object.values(faults));
  const service = [...byEntry.flatMap((one) => one.service), ...MANY.flatMap(({ machineFaults }) => machineFaults)];
  expect(() => service.map((fault) => ServiceFault.parse(fault))).not.toThrow();
  expect(() => byEntry.flatMap((one) => one.github).map((fault) => GithubFault.parse(fault))).not.toThrow();
  expect(() => MANY.map(({ offers }) => Scenario.parse({ offers }))).not.toThrow();
});

test("every kind of fault and of death is drawn", () => {
  const kinds = (texts: (string | undefined)[]) => new Set(texts.filter((text) => text !== undefined));
  const service = kinds(
    MANY.flatMap(({ faults, machineFaults }) =>
      [...Object.values(faults).flatMap((one) => one.service), ...machineFaults].map(({ kind }) => kind),
    ),
  );
  // What is not drawn as a fault: untagged images (an input), filters (the market), junk in rows
  // (its own tests), starts (we never start),
  // and the end of the old list, which is only asked for where there are no pages.
  const never = ["deprecated", "untagged-image", "ignore-filters", "junk", "start-queued"];
  const all = ServiceFault.options.map((option) => option.shape.kind.value).filter((kind) => !never.includes(kind));
  expect([...service].toSorted()).toEqual(all.toSorted());
  const github = kinds(
    MANY.flatMap(({ faults }) => Object.values(faults).flatMap((one) => one.github)).map((f) => f.kind),
  );
  expect([...github].toSorted()).toEqual(GithubFault.options.map((option) => option.shape.kind.value).toSorted());
  expect(kinds(MANY.map(({ mainDeath }) => mainDeath?.how)).size).toBe(4);
  expect(kinds(MANY.flatMap(({ machineDeaths }) => machineDeaths.map(({ how }) => how))).size).toBe(7);
  expect(kinds(MANY.map(({ post }) => (typeof post === "string" ? post : post.how))).size).toBe(5);
});

test("a weight of 0 is never drawn, and the ends of a range are", () => {
  const dice = new Dice("x");
  const drawn = Array.from({ length: 200 }, () => dice.weighted({ never: 0, rarely: 1, often: 9 }));
  expect(new Set(drawn)).toEqual(new Set(["rarely", "often"]));
  expect(new Set(Array.from({ length: 200 }, () => dice.whole(1, 3)))).toEqual(new Set([1, 2, 3]));
});
