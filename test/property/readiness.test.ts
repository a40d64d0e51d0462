import fc from "fast-check";
import { expect, test } from "vitest";
import { reasonOf } from "../../src/fleet/lifecycle/reasons.ts";
import type { FleetState, StoredMachine } from "../../src/fleet/state.ts";
import { judgeInstance } from "../../src/machine/instance.ts";
import { secretHider } from "../../src/machine/log.ts";
import { aFleet, booting, busy, type MachineGiven, NOW, ready, someFacts, starting } from "../unit/support/a-fleet.ts";
import { anInstance } from "../unit/support/an-instance.ts";
import { always } from "./support/always.ts";
import { hostileJson, hostileText, MEGABYTES, orNone } from "./support/hostile.ts";
import { isPlainLine } from "./support/readings.ts";

const MINUTE = 60_000;
const ago = fc.integer({ min: 0, max: 60 * MINUTE });
const verdict = hostileJson("actual_status", "intended_status", "cur_state", "status_msg").map((row) =>
  judgeInstance(anInstance({ ...(typeof row === "object" ? row : {}), id: 7 })),
);
const machine: fc.Arbitrary<StoredMachine> = fc
  .record({
    make: fc.constantFrom(booting, starting, ready, busy),
    verdict: orNone(verdict),
    created: ago,
    isAbsent: fc.boolean(),
    isSilent: fc.boolean(),
  })
  .map(({ created, isAbsent, make, ...given }) =>
    make(1, { ...given, foundAt: NOW - created, absentSince: isAbsent ? NOW : undefined }),
  );
const judgement = (given: StoredMachine, fleet: Partial<FleetState> = {}) =>
  reasonOf(given, someFacts(aFleet([given], fleet)));
const judge = (...given: Parameters<typeof judgement>) => judgement(...given)?.reason;
const shown = (given: StoredMachine, facts: MachineGiven): StoredMachine => ({
  ...given,
  instances: given.instances.map((instance) => ({ ...instance, ...facts })),
});

test("whatever a service shows, a machine ends for one plain line, one that works for none, one with a job after two looks", () =>
  always(2000, [machine], (given) => {
    expect(isPlainLine(judge(given)?.why ?? "")).toBe(true);
    const [slot] = given.slots;
    const works = shown(given, { verdict: { kind: "running", status: "running" }, absentSince: undefined });
    if (slot?.runner === "online" || slot?.job !== undefined) expect(judge(works)).toBeUndefined();
    const said = judgement({ ...given, slots: busy(1).slots, readyAt: NOW });
    expect(said === undefined || said.finding !== undefined).toBe(true);
  }));

test("while no list can be read, none is drained for its time", () => {
  const old = { foundAt: NOW - 55 * MINUTE, verdict: undefined };
  for (const given of [booting(1, old), starting(1, { ...old, runningAt: NOW - 50 * MINUTE })])
    expect(judge(given, { instancesAt: NOW - 55 * MINUTE, runnersAt: NOW - 50 * MINUTE })).toBeUndefined();
});

test("what a machine prints is shown without the values of its environment", () => {
  const env = fc.dictionary(fc.stringMatching(/^[A-Z][A-Z_]{0,9}$/), hostileText, { minKeys: 1, maxKeys: 4 });
  always(1000, [env, hostileText, hostileText], (variables, before, after) => {
    const hide = secretHider(variables);
    for (const value of Object.values(variables)) {
      const lines = value.split(/\r?\n/).map((line) => line.trim());
      const secrets = lines.filter((line) => line.length >= 8 && !"[]ABCDEFGHIJKLMNOPQRSTUVWXYZ_".includes(line));
      const hidden = hide(`${before} ${value} ${after}`);
      expect(secrets.filter((line) => hidden.includes(line))).toEqual([]);
    }
  });
});

test("a megabyte of anything is judged and hidden in no time", () => {
  const hide = secretHider({ SECRET_KEY: "abcdefghijkl" });
  for (const [name, text] of MEGABYTES) {
    const judged = judgeInstance(anInstance({ id: 7, status_msg: text, actual_status: text }));
    expect(isPlainLine(JSON.stringify(judged)), name).toBe(true);
    expect(hide(`${text} abcdefghijkl`), name).not.toContain("abcdefghijkl");
  }
});
