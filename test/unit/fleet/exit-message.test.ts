import { describe, expect, test } from "vitest";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { pausedOf } from "../../../src/fleet/renting/standing.ts";
import { stopOf } from "../../../src/fleet/renting/stop.ts";
import type { FleetState, StoredMachine } from "../../../src/fleet/state.ts";
import type { ExitMessage } from "../../../src/machine/log.ts";
import {
  aCandidate,
  aFleet,
  anEnding,
  aSlot,
  asked,
  busy,
  gpuJobs,
  type MachineGiven,
  NOW,
  ready,
  someFacts,
  someRules,
  spent,
  starting,
  withNext,
} from "../support/a-fleet.ts";
import { commands, decideNow } from "../support/decide-now.ts";

// What a machine's script says before it gives itself back: when main asks for it, and what it makes of it.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const FORBIDDEN: ExitMessage = { by: "runner", text: "Failed to create session. Error: Forbidden" };
const DELETED: ExitMessage = {
  by: "runner",
  text: "Failed to create a session. The runner registration has been deleted from the server, please re-configure.",
};

const waits = (machines: StoredMachine[], given: Partial<FleetState> = {}) =>
  aFleet(machines, { jobs: gpuJobs({ waiting: 1 }), ...given });

describe("a machine's log is read", () => {
  const reads = (machine: StoredMachine) => commands(waits([machine])).includes("read-machine-log 1");
  const runs = (ago: number, given: MachineGiven = {}) => starting(1, { runningAt: NOW - ago * SECOND, ...given });

  test("when it runs for 20 s and its runner is not online, and every 20 s from then on", () => {
    expect(reads(runs(19))).toBe(false);
    expect(reads(runs(20))).toBe(true);
    expect(reads(runs(200, { logAt: NOW - 19 * SECOND }))).toBe(false);
    expect(reads(runs(200, { logAt: NOW - 20 * SECOND }))).toBe(true);
  });

  test("at once when GitHub does not know its runner any more, and until it is gone", () => {
    const missing = aSlot(1, { runner: "gone", onlineAt: NOW - 10 * SECOND, missingSince: NOW });
    expect(reads(ready(1, { slots: [missing] }))).toBe(true);
    const spent = aSlot(1, { runner: "gone", onlineAt: NOW - 60 * SECOND, spentAt: NOW - SECOND });
    const over = { slots: [spent], ending: anEnding("over", { since: NOW - SECOND }) };
    expect(reads(ready(1, { ...over, logAt: NOW - 20 * SECOND }))).toBe(true);
    expect(reads(ready(1, { ...over, logAt: NOW - 19 * SECOND }))).toBe(false);
    expect(reads(ready(1, { ...over, goneAt: NOW }))).toBe(false);
  });

  test("when its runner is busy for idle-timeout with a job that no list shows", () => {
    const { idleTimeout } = someRules();
    const busyFor = (ms: number) => aSlot(1, { runner: "busy", wasBusy: true, onlineAt: 0, busySince: NOW - ms });
    expect(reads(ready(1, { slots: [busyFor(idleTimeout - 1)] }))).toBe(false);
    expect(reads(ready(1, { slots: [busyFor(idleTimeout)] }))).toBe(true);
  });

  test("not from a service that gave none five times in a row", () => {
    const fleet = waits([runs(60)]);
    for (let n = 1; n <= 5; n += 1) {
      expect(commands(fleet, {}, NOW + n * MINUTE), String(n)).toContain("read-machine-log 1");
      reduce(fleet, { kind: "Decided", at: NOW, decision: decideNow(fleet, {}, NOW + n * MINUTE) });
      const at = NOW + n * MINUTE + 1;
      reduce(fleet, { kind: "LogsFetched", machineNo: 1, id: 701, askedAt: at, at, isFault: true });
    }
    expect(commands(fleet, {}, NOW + 9 * MINUTE)).not.toContain("read-machine-log 1");
    // One that is there is another matter.
    expect(commands({ ...fleet, logFaults: 4 }, {}, NOW + 9 * MINUTE)).toContain("read-machine-log 1");
  });

  test("at once when its runner is offline again and no job had come to it", () => {
    const away = aSlot(1, { runner: "offline", onlineAt: NOW - 10 * SECOND, offlineSince: NOW });
    expect(reads(ready(1, { slots: [away] }))).toBe(true);
    expect(reads(ready(1))).toBe(false);
  });

  test("when it is ready for 20 s and a job waits all the same: GitHub may show a dead runner as online", () => {
    const since = (ago: number) => ready(1, { readyAt: NOW - ago * SECOND });
    expect(reads(since(19))).toBe(false);
    expect(reads(since(20))).toBe(true);
    expect(commands(aFleet([since(20)], { jobs: gpuJobs({ running: 1 }) }))).not.toContain("read-machine-log 1");
  });

  test("not while it is being read, when it has said why, or ends, or has or had a job", () => {
    expect(reads(runs(60, { isReadingLog: true }))).toBe(false);
    expect(reads(runs(60, { words: FORBIDDEN }))).toBe(false);
    expect(reads(runs(60, { ending: anEnding("unneeded"), isDraining: true }))).toBe(false);
    expect(reads(busy(1))).toBe(false);
    expect(reads(withNext(spent(1)))).toBe(false);
  });

  test("one at a time, and what it once said holds", () => {
    const fleet = waits([runs(60)]);
    reduce(fleet, { kind: "Decided", at: NOW, decision: decideNow(fleet) });
    expect(fleet.machines[0]).toMatchObject({ isReadingLog: true });
    const read = { kind: "LogsFetched", machineNo: 1, id: 701, at: NOW + SECOND } as const;
    reduce(fleet, { ...read, askedAt: NOW, words: FORBIDDEN });
    expect(fleet.machines[0]).toMatchObject({ logAt: NOW + SECOND, words: FORBIDDEN });
    expect(fleet.machines[0]?.isReadingLog).toBeUndefined();
    reduce(fleet, { ...read, askedAt: NOW + 1 });
    expect(fleet.machines[0]).toMatchObject({ words: FORBIDDEN });
  });
});

describe("a machine that says why it gives itself back", () => {
  const ends = (machine: StoredMachine) => decideNow(waits([machine])).endings[0]?.ending;

  test("has failed at once, with its reason; its runners are taken away before it", () => {
    expect(ends(starting(1, { words: FORBIDDEN }))).toMatchObject({
      kind: "failed",
      cause: "runner",
      first: "runners",
      why: "its runner ended before a job came: Failed to create session. Error: Forbidden",
    });
    expect(commands(waits([starting(1, { words: FORBIDDEN })]))[0]).toMatch(/^drain/);
  });

  test.each([
    ["This machine is no good: its clock is 300 s off.", "machine"],
    ["nvidia-smi sees 0 of 1 GPUs.", "machine"],
    ["Alpine images can't run the GitHub runner: it needs glibc. Use another one.", "unfit-image"],
    ["There is no curl, and user 1000 can't install it: bring it in the image.", "unfit-image"],
    ["The image has glibc 2.27: GitHub's actions need 2.28 or newer.", "unfit-image"],
    ["There is no nvidia-smi in this image.", "unfit-image"],
    ["There is no nvidia-smi in this image: NVIDIA_DRIVER_CAPABILITIES is compute, and lacks utility.", "unfit-image"],
    ["nvidia-smi fails: (code 139)", "machine"],
    ["The key was not proven: curl: (6) Could not resolve host: console.example.com", "preparing"],
    ["There is no curl, and user 0 can't install it: bring it in the image.", "preparing"],
    ["There is no folder for user 1000 to write to: use an image whose user is root.", "unfit-image"],
    ["There is no folder for user 0 to write to: use an image whose user is root.", "preparing"],
    ["The runner can't be downloaded.", "preparing"],
    ["This machine is no good: probe ended with code 1. no CUDA", "preparing"],
  ])("%s: that is a fault of %s", (text, cause) => {
    const why = `it gives itself back: ${text}`;
    expect(ends(starting(1, { words: { by: "script", text } }))).toMatchObject({ kind: "failed", cause, why });
  });

  test("has failed, too, when it was over as GitHub did not know its runner", () => {
    const gone = aSlot(1, { runner: "gone", onlineAt: NOW - MINUTE, spentAt: NOW - SECOND });
    const over = ready(1, { slots: [gone], ending: anEnding("over") });
    expect(ends(over)).toBeUndefined();
    expect(ends({ ...over, words: DELETED })).toMatchObject({ kind: "failed", cause: "runner" });
  });

  test("gives its end the reason, though its log came when GitHub's word had ended it, or it was gone", () => {
    const dropped = starting(1, { ending: anEnding("failed"), goneAt: NOW });
    expect(ends(dropped)).toBeUndefined();
    expect(ends({ ...dropped, words: DELETED })).toMatchObject({ kind: "failed", cause: "runner" });
    expect(ends({ ...dropped, ending: anEnding("failed", { cause: "boot" }), words: DELETED })).toBeUndefined();
  });

  test("is believed while GitHub shows its runner as online, and not while it has a job, nor after one", () => {
    expect(ends(ready(1, { words: FORBIDDEN }))).toMatchObject({ kind: "failed" });
    expect(ends(busy(1, { words: FORBIDDEN }))).toBeUndefined();
    expect(ends(withNext(spent(1, { words: FORBIDDEN })))?.cause).toBeUndefined();
  });
});

describe("two hosts with the same words of GitHub's program", () => {
  const ended = (n: number, words: ExitMessage = FORBIDDEN, given: MachineGiven = {}) =>
    starting(n, { ending: anEnding("failed", { cause: "runner", since: NOW - SECOND }), words, goneAt: NOW, ...given });
  const stop = (machines: StoredMachine[], now = NOW) => stopOf(someFacts(waits(machines), { attempts: 2 }, now));
  const isRefused = (...machines: StoredMachine[]) => stop(machines)?.id === "runners-refused";

  test("renting stops with these words, no attempt is used, and no host excluded", () => {
    const both = [ended(1), ended(2)];
    expect(stop(both)).toEqual({ id: "runners-refused", detail: FORBIDDEN.text });
    expect(failuresOf(waits(both))).toEqual([]);
    expect(pausedOf(waits(both), NOW)).toEqual({ hosts: [], offers: [], taken: [] });
  });

  test("one host alone is at fault itself: an attempt, and excluded", () => {
    const same = [ended(1), ended(2, FORBIDDEN, { candidate: aCandidate(2, 100) })];
    expect(stop(same)?.id).toBe("attempts");
    expect(pausedOf(waits([ended(1)]), NOW).hosts).toEqual([100]);
  });

  test("different words say nothing of each other; names and numbers are no difference", () => {
    const says = (text: string): ExitMessage => ({ by: "runner", text });
    expect(isRefused(ended(1), ended(2, says("No space left on device")))).toBe(false);
    expect(isRefused(ended(1, { ...FORBIDDEN, by: "script" }), ended(2, { ...FORBIDDEN, by: "script" }))).toBe(false);
    const named = (n: number) => ended(n, says(`gpu-4711-1-abcdef-${n} is known since ${n} s`));
    expect(isRefused(named(1), named(2))).toBe(true);
  });

  test("that the registration is gone counts only where GitHub's API says so, too", () => {
    const at = (n: number, runner: "gone" | "offline") => ended(n, DELETED, { slots: [aSlot(n, { runner })] });
    expect(isRefused(at(1, "gone"), at(2, "gone"))).toBe(true);
    expect(isRefused(at(1, "gone"), at(2, "offline"))).toBe(false);
    expect(isRefused(ended(1, DELETED), ended(2, DELETED))).toBe(false);
  });

  test("that a job could not be had counts only where GitHub's API showed the runner with one", () => {
    const says = (text: string) => ({ by: "runner", text }) as const;
    const at = (n: number, wasBusy?: true) =>
      ended(n, says("Skipping message Job. Job message not found '[36 characters]'."), {
        slots: [aSlot(n, { wasBusy })],
      });
    expect(isRefused(at(1, true), at(2, true))).toBe(true);
    expect(isRefused(at(1, true), at(2))).toBe(false);
  });

  test("it holds for two minutes; then one more machine asks, and no other while that is on its way", () => {
    const both = [ended(1), ended(2)];
    const later = NOW + 2 * MINUTE;
    expect(stop(both, later - 2 * SECOND)?.id).toBe("runners-refused");
    expect(stop(both, later)).toBeUndefined();
    expect(stop([...both, asked(3, { askedAt: later })], later)?.id).toBe("runners-refused");
    const failed = starting(3, { askedAt: later, ending: anEnding("failed", { cause: "boot", since: later }) });
    expect(stop([...both, failed], later)).toBeUndefined();
  });

  test("it holds no more once a job came to a later one; that its runner is online is not enough", () => {
    expect(stop([ended(1), ended(2), busy(3, { readyAt: NOW })])).toBeUndefined();
    expect(stop([ended(1), ended(2), ready(3, { readyAt: NOW })])?.id).toBe("runners-refused");
  });
});

describe("two machines that say why they gave themselves back, with a probe", () => {
  const ended = (n: number, text: string) =>
    starting(n, { ending: anEnding("failed", { cause: "preparing" }), goneAt: NOW, words: { by: "script", text } });
  const stop = (...texts: string[]) => {
    const fleet = waits(texts.map((text, index) => ended(index + 1, text)));
    return stopOf(someFacts(fleet, { hasProbe: true }))?.id;
  };

  test("the probe is to blame where they name it, and nothing else", () => {
    const probe = "This machine is no good: probe ended with code 1. no CUDA";
    expect(stop(probe, probe)).toBe("probe");
    expect(stop(probe, "The runner can't be downloaded.")).toBeUndefined();
  });
});

describe("a machine that keeps itself by its runner's word, though its job did well by GitHub's list", () => {
  const kept = spent(1, { ending: anEnding("over"), job: { conclusion: "success" } });
  const at = (seconds: number) => commands(aFleet([kept]), { keepFailed: 60 * MINUTE }, NOW + seconds * SECOND);

  test("is destroyed 60 s after its job's end", () => {
    expect(at(49)).toEqual([]);
    expect(at(50)).toEqual(["destroy 701"]);
  });
});

test("a runner that GitHub showed with a job is remembered as such, whatever it shows later", () => {
  const fleet = aFleet([ready(1)]);
  const look = (at: number, runner: "busy" | "offline") =>
    reduce(fleet, { kind: "RunnersListed", askedAt: at, at, runners: { 21: runner } });
  look(NOW + 1, "busy");
  look(NOW + 2, "offline");
  expect(fleet.machines[0]?.slots[0]).toMatchObject({ runner: "offline", wasBusy: true });
});
