import { describe, expect, test } from "vitest";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { pausedOf } from "../../../src/fleet/renting/standing.ts";
import { stopOf } from "../../../src/fleet/renting/stop.ts";
import type { Ending, FleetState, StoredMachine } from "../../../src/fleet/state.ts";
import type { ExitMessage } from "../../../src/machine/log.ts";
import { aFleet, gpuJobs, MINUTE, NOW, SECOND, someFacts, someRules } from "../support/a-fleet.ts";
import { aCandidate } from "../support/an-offer.ts";
import { commands, decided, decideNow } from "../support/decide-now.ts";
import { anEnding, aSlot, withNext } from "../support/machine-parts.ts";
import { asked, busy, type MachineGiven, ready, spent, starting } from "../support/machines.ts";

// What a machine's script says before it gives itself back: when main asks for it, and what it makes of it.

const ago = (seconds: number) => NOW - seconds * SECOND;
const says = (text: string, by: ExitMessage["by"] = "runner"): ExitMessage => ({ by, text });
const FORBIDDEN = says("Failed to create session. Error: Forbidden");
const DELETED = says("Failed to create a session. The runner registration has been deleted from the server, …");

const waits = (machines: StoredMachine[], given: Partial<FleetState> = {}) =>
  aFleet(machines, { jobs: gpuJobs({ waiting: 1 }), ...given });

describe("a machine's log is read", () => {
  const READ = "read-machine-log 1";
  const { idleTimeout } = someRules();
  const runs = (seconds: number, given: MachineGiven = {}) => starting(1, { runningAt: ago(seconds), ...given });
  const online = (given: Parameters<typeof aSlot>[1], more: MachineGiven = {}) =>
    ready(1, { slots: [aSlot(1, { onlineAt: ago(10), ...given })], ...more });
  const busyFor = (ms: number) => online({ runner: "busy", wasBusy: true, onlineAt: 0, busySince: NOW - ms });
  const over = (given: MachineGiven) =>
    online({ runner: "gone", spentAt: ago(1) }, { ending: anEnding("over", { since: ago(1) }), ...given });
  const readyFor = (seconds: number) => ready(1, { readyAt: ago(seconds) });

  test.each<[string, boolean, StoredMachine]>([
    ["not sooner", false, runs(19)],
    ["until it is gone", true, over({ logAt: ago(20) })],
    ["when its runner is busy for idle-timeout with a job that no list shows", true, busyFor(idleTimeout)],
    ["not sooner than that", false, busyFor(idleTimeout - 1)],
    ["when it is ready for 20 s and a job waits: GitHub may show a dead runner as online", true, readyFor(20)],
    ["at once when its runner is offline again", true, online({ runner: "offline", offlineSince: NOW })],
    ["not while it is being read", false, runs(60, { isReadingLog: true })],
    ["not while it has a job", false, busy(1)],
  ])("%s: %j", (_when, isRead, machine) => {
    expect(commands(waits([machine])).includes(READ)).toBe(isRead);
  });

  test("not of one that is ready where no job waits, nor from a service that gave none five times in a row", () => {
    expect(commands(aFleet([readyFor(20)], { jobs: gpuJobs({ running: 1 }) }))).not.toContain(READ);
    const fleet = waits([runs(60)], { logFaults: 4 });
    expect(commands(fleet)).toContain(READ);
    const read = { kind: "LogsFetched", machineNo: 1, id: 701, askedAt: NOW, at: NOW } as const;
    reduce(decided(fleet), { ...read, isFault: true });
    expect(commands(fleet, {}, NOW + 9 * MINUTE)).not.toContain(READ);
  });

  test("one at a time, and what it once said holds", () => {
    const fleet = decided(waits([runs(60)]));
    expect(fleet.machines[0]).toMatchObject({ isReadingLog: true });
    const read = { kind: "LogsFetched", machineNo: 1, id: 701, at: NOW + SECOND } as const;
    reduce(fleet, { ...read, askedAt: NOW, words: FORBIDDEN });
    reduce(fleet, { ...read, askedAt: NOW + 1 });
    expect(fleet.machines[0]).toMatchObject({ logAt: NOW + SECOND, words: FORBIDDEN, isReadingLog: undefined });
  });
});

describe("a machine that says why it gives itself back", () => {
  const ends = (machine: StoredMachine) => decideNow(waits([machine])).endings[0]?.ending;

  test("has failed at once, with its reason; its runners are taken away before it", () => {
    const machine = starting(1, { words: FORBIDDEN });
    const why = "its runner ended before a job came: Failed to create session. Error: Forbidden";
    expect(ends(machine)).toMatchObject({ kind: "failed", cause: "runner", first: "runners", why });
    expect(commands(waits([machine]))[0]).toMatch(/^drain/);
  });

  test.each([
    ["This machine is no good: its clock is 300 s off.", "machine"],
    ["There is no nvidia-smi in this image: NVIDIA_DRIVER_CAPABILITIES is compute, and lacks utility.", "unfit-image"],
    ["There is no curl, and user 0 can't install it: bring it in the image.", "preparing"],
  ])("%s: that is a fault of %s", (text, cause) => {
    const why = `it gives itself back: ${text}`;
    expect(ends(starting(1, { words: says(text, "script") }))).toMatchObject({ kind: "failed", cause, why });
  });

  const dropped = (words?: ExitMessage, given: Partial<Ending> = {}) =>
    starting(1, { ending: anEnding("failed", given), goneAt: NOW, words });
  const left = [aSlot(1, { runner: "gone", onlineAt: ago(60), spentAt: ago(1) })];
  const over = (words?: ExitMessage) => ready(1, { slots: left, ending: anEnding("over"), words });
  test.each<[string, StoredMachine, Ending["kind"] | undefined]>([
    ["over, as GitHub did not know its runner", over(), undefined],
    ["the same, and then its log came", dropped(DELETED), "failed"],
    ["it had a reason of its own", dropped(DELETED, { cause: "boot" }), undefined],
    ["it has a job", busy(1, { words: FORBIDDEN }), undefined],
    ["it had one", withNext(spent(1, { words: FORBIDDEN })), undefined],
  ])("is believed, or not: %s: %s", (_what, machine, kind) => {
    expect(ends(machine)?.kind).toBe(kind);
  });
});

describe("two hosts with the same words of GitHub's program", () => {
  const failed = { cause: "runner", since: ago(1) } as const;
  const ended = (n: number, words: ExitMessage = FORBIDDEN, given: MachineGiven = {}) =>
    starting(n, { ending: anEnding("failed", failed), words, goneAt: NOW, ...given });
  const stop = (machines: StoredMachine[], now = NOW) => stopOf(someFacts(waits(machines), { attempts: 2 }, now));
  const both = [ended(1), ended(2)];
  const later = NOW + 2 * MINUTE;
  const third = starting(3, { askedAt: later, ending: anEnding("failed", { cause: "boot", since: later }) });

  test("renting stops with these words, no attempt is used, and no host excluded", () => {
    expect(stop(both)).toEqual({ id: "runners-refused", detail: FORBIDDEN.text });
    expect(failuresOf(waits(both))).toEqual([]);
    expect(pausedOf(waits(both), NOW)).toEqual({ hosts: [], offers: [], taken: [] });
  });

  test("one host alone is at fault itself: an attempt, and excluded", () => {
    expect(stop([ended(1), ended(2, FORBIDDEN, { candidate: aCandidate(2, 100) })])?.id).toBe("attempts");
    expect(pausedOf(waits([ended(1)]), NOW).hosts).toEqual([100]);
  });

  const named = (n: number) => ended(n, says(`gpu-4711-1-abcdef-${n} is known since ${n} s`));
  const gone = (n: number, runner: "gone" | "offline" = "gone") => ended(n, DELETED, { slots: [aSlot(n, { runner })] });
  const SKIPPED = says("Skipping message Job. Job message not found '[36 characters]'.");
  const skipped = (n: number, wasBusy?: true) => ended(n, SKIPPED, { slots: [aSlot(n, { wasBusy })] });

  test.each<[string, StoredMachine[], boolean, number?]>([
    ["other words", [ended(1), ended(2, says("No space left on device"))], false],
    ["names and numbers are no difference", [named(1), named(2)], true],
    ["that the registration is gone, as GitHub's API says", [gone(1), gone(2)], true],
    ["that, and the API says so of one alone", [gone(1), gone(2, "offline")], false],
    ["that a job could not be had, and the API showed the runner with one", [skipped(1, true), skipped(2, true)], true],
    ["that, and the API showed one alone so", [skipped(1, true), skipped(2)], false],
    ["then one more machine asks", both, false, later],
    ["no other while that is on its way", [...both, asked(3, { askedAt: later })], true, later],
    ["until that fails for another reason", [...both, third], false, later],
    ["a job came to a later one", [...both, busy(3, { readyAt: NOW })], false],
  ])("%s: %#", (_what, machines, isRefused, now) => {
    expect(stop(machines, now)?.id === "runners-refused").toBe(isRefused);
  });
});

test("two machines that say why they gave themselves back: the probe is to blame where both name it", () => {
  const ending = anEnding("failed", { cause: "preparing" });
  const stop = (...texts: string[]) => {
    const ended = texts.map((text, n) => starting(n + 1, { ending, goneAt: NOW, words: says(text, "script") }));
    return stopOf(someFacts(waits(ended), { hasProbe: true }))?.id;
  };
  const probe = "This machine is no good: probe ended with code 1. no CUDA";
  expect([stop(probe, probe), stop(probe, "The runner can't be downloaded.")]).toEqual(["probe", undefined]);
});
