import { describe, expect, test } from "vitest";
import type { MachineRecord } from "../../../src/create/machine-record.ts";
import { noteInstances } from "../../../src/fleet/observe/note-instances.ts";
import type { Machine } from "../../../src/fleet/state/machine.ts";
import type { Fleet } from "../../../src/fleet/state.ts";
import { aFleet, asked, booting, NOW, ready } from "../support/a-fleet.ts";
import { anInstance } from "../support/an-instance.ts";

const SECOND = 1000;
const PREFIX = "ghr1.1.2-1.abcdef";

function listed(fleet: Fleet, ...rows: object[]): Machine | undefined {
  const instances = rows.map((row) => anInstance({ id: 701, ...row }));
  noteInstances(fleet, { at: NOW, prefix: PREFIX, instances, repositoryAlive: instances.length });
  return fleet.machines[0];
}

const report = (at: Partial<MachineRecord["at"]> = {}) =>
  ({ at: { searched: 0, asked: 0, created: NOW - 60 * SECOND, ...at }, last: "created", price: {} }) as MachineRecord;

test("the list is counted, with how many machines of the repository it shows", () => {
  const fleet = aFleet([booting(1)], { instancesAt: 0 });
  listed(fleet, {}, { id: 5 });
  expect(fleet).toMatchObject({ instancesAt: NOW, repositoryAlive: 2, looks: { instances: NOW } });
});

test("one of ours that is too fresh for the list counts against machines-per-repository all the same", () => {
  const fresh = aFleet([booting(1, { verdict: undefined, createdAt: NOW - SECOND }), booting(2)]);
  listed(fresh, { id: 5 });
  expect(fresh.repositoryAlive).toBe(2);
});

describe("a machine that is listed", () => {
  test("running: since the middle of two looks for the bill, since this one for its limits", () => {
    const machine = listed(aFleet([booting(1, { report: report() })], { instancesAt: NOW - 10 * SECOND }), {
      actual_status: "running",
    });
    expect(machine?.runningAt).toBe(NOW);
    expect(machine?.report?.at.running).toBe(NOW - 5 * SECOND);
  });

  test("its status is judged anew each time", () => {
    expect(listed(aFleet([booting(1)]), { actual_status: "loading" })?.verdict?.kind).toBe("pending");
    expect(listed(aFleet([booting(1)]), { actual_status: "exited" })?.verdict?.kind).toBe("failed");
  });

  test.each(["unknown", "offline"])("no heartbeat (%s) says nothing of its container", (actual_status) => {
    expect(listed(aFleet([ready(1)]), { actual_status })?.isSilent).toBe(true);
    expect(listed(aFleet([ready(1)]), { actual_status: "running" })?.isSilent).toBe(false);
  });

  test("it is back: its absence is forgotten", () => {
    const machine = listed(aFleet([ready(1, { absentSince: 0, report: report({ gone: 0 }) })]), {
      actual_status: "running",
    });
    expect(machine?.absentSince).toBeUndefined();
    expect(machine?.report?.at.gone).toBeUndefined();
  });

  test("it is back, and was never ready: its report does not say that it was", () => {
    const fleet = aFleet([booting(1, { absentSince: 0, report: report({ gone: 0 }) })]);
    expect(listed(fleet, { actual_status: "loading" })?.report?.last).toBe("created");
    const wasReady = { ...report({ gone: 0 }), last: "gave itself back" };
    const back = aFleet([ready(1, { absentSince: 0, report: wasReady })]);
    expect(listed(back, { actual_status: "running" })?.report?.last).toBe("ready");
  });
});

describe("a machine that no list shows", () => {
  test("a fresh one may be missing for a minute", () => {
    const fresh = { verdict: undefined };
    expect(listed(aFleet([booting(1, { ...fresh, createdAt: NOW - 60 * SECOND })]))?.absentSince).toBeUndefined();
    expect(listed(aFleet([booting(1, { ...fresh, createdAt: NOW - 61 * SECOND })]))?.absentSince).toBe(NOW);
  });

  test("one that was listed before, or was ready, is absent at once", () => {
    expect(listed(aFleet([booting(1)]))?.absentSince).toBe(NOW);
    expect(listed(aFleet([ready(1, { verdict: undefined })]))?.absentSince).toBe(NOW);
  });

  test("since the first time", () => {
    expect(listed(aFleet([ready(1, { absentSince: 5 })]))?.absentSince).toBe(5);
  });

  test("for the bill it went in the middle of two looks", () => {
    const machine = listed(aFleet([ready(1, { report: report() })], { instancesAt: NOW - 20 * SECOND }));
    expect(machine?.report?.at.gone).toBe(NOW - 10 * SECOND);
  });
});

describe("what turns up late, of a create that gave no answer", () => {
  const { act: _, ...sent } = asked(1);
  const stray = { strays: [{ n: 1, asked: sent, since: NOW, isUncertain: true }] };

  test("is a machine that nobody needs", () => {
    const machine = listed(aFleet([], stray), { label: `${PREFIX}.1.99` });
    expect(machine).toMatchObject({ n: 1, instanceId: 701, ending: { kind: "unneeded", isUnasked: false } });
  });

  test("its bill is written down, and its most set aside from max-cost", () => {
    const fleet = aFleet([], stray);
    const instances = [anInstance({ id: 701, label: `${PREFIX}.1.99` })];
    expect(noteInstances(fleet, { at: NOW, prefix: PREFIX, instances, repositoryAlive: 1 })).toEqual([1]);
    expect(fleet.machines[0]?.report).toMatchObject({
      instanceId: 701,
      price: { total: 0.4 },
      estimate: { most: 0.9 },
      at: { asked: sent.askedAt },
    });
  });

  test("it bills since the service made it, where it shows that", () => {
    const at = (start: number) =>
      listed(aFleet([], stray), { label: `${PREFIX}.1.99`, start_date: start / SECOND })?.report?.at.created;
    expect(at(NOW - 10 * SECOND)).toBe(NOW - 10 * SECOND);
    expect(at(sent.askedAt - SECOND)).toBe(sent.askedAt);
    expect(at(NOW + SECOND)).toBe(sent.askedAt);
  });

  test("once", () => {
    const fleet = aFleet([], stray);
    listed(fleet, { label: `${PREFIX}.1.99` });
    listed(fleet, { label: `${PREFIX}.1.99` });
    expect(fleet.machines).toHaveLength(1);
  });

  test.each([`${PREFIX}.2.99`, `${PREFIX}g.1.99`, "ghr1.1.2-1.abcdeg.1.99", "mine", undefined])(
    "not another one: %s",
    (label) => {
      expect(listed(aFleet([], stray), { label })).toBeUndefined();
    },
  );
});

describe("a second instance under one label, as a gateway makes that sends a create again", () => {
  const twin = { id: 702, label: `${PREFIX}.1.99` };

  test("is a machine of its own that nobody needs, written down under a number of its own", () => {
    const fleet = aFleet([ready(1, { report: report() })], { creates: 1 });
    listed(fleet, { label: `${PREFIX}.1.99` }, twin);
    expect(fleet.machines.map(({ n, instanceId }) => [n, instanceId])).toEqual([
      [1, 701],
      [2, 702],
    ]);
    expect(fleet.machines[0]?.ending).toBeUndefined();
    expect(fleet.machines[1]).toMatchObject({ ending: { kind: "unneeded", isUnasked: false } });
    expect(fleet.machines[1]).not.toHaveProperty("readyAt");
    expect(fleet).toMatchObject({ creates: 2, strays: [{ n: 2 }] });
  });

  test("both of a create that gave no answer are found, once", () => {
    const { act: _, ...sent } = asked(1);
    const fleet = aFleet([], { creates: 1, strays: [{ n: 1, asked: sent, since: NOW, isUncertain: true }] });
    for (let look = 0; look < 2; look += 1) listed(fleet, { label: `${PREFIX}.1.99` }, twin);
    expect(fleet.machines.map(({ n }) => n)).toEqual([1, 2]);
  });

  test("is not seen in one whose create is yet to answer", () => {
    const fleet = aFleet([asked(1)], { creates: 1 });
    listed(fleet, { label: `${PREFIX}.1.99` });
    expect(fleet.machines).toHaveLength(1);
  });
});

describe("a machine that counted as gone and is listed", () => {
  const lost = { kind: "lost", why: "the machine was lost", isUnasked: true, since: 0 } as const;
  const gone = (goneAt: number) => ready(1, { goneAt, ending: lost, report: { ...report({ gone: 0 }), isGone: true } });

  test("a minute later is there, and judged anew", () => {
    const machine = listed(aFleet([gone(NOW - 60 * SECOND)]), { actual_status: "running" });
    expect(machine).toMatchObject({ goneAt: undefined, ending: undefined, report: { isGone: undefined } });
    expect(machine?.report?.at.gone).toBeUndefined();
  });

  test("its job that was noted as lost still runs there", () => {
    const fleet = aFleet([gone(NOW - 60 * SECOND)], {
      lost: [{ id: 5, name: "test", url: undefined, n: 1, instanceId: 701, went: "vanished", cutBy: undefined }],
    });
    const use = fleet.machines[0]?.uses[0];
    Object.assign(use ?? {}, { spentAt: 0, job: { id: 5, name: "test", url: undefined, isOver: false, isBad: false } });
    listed(fleet, { actual_status: "running" });
    expect(fleet.lost).toEqual([]);
    expect(fleet.machines[0]?.uses[0]?.spentAt).toBeUndefined();
  });

  test("is not believed before: lists lag", () => {
    const machine = listed(aFleet([gone(NOW - 59 * SECOND)]), { actual_status: "running" });
    expect(machine).toMatchObject({ goneAt: NOW - 59 * SECOND, ending: lost });
  });
});
