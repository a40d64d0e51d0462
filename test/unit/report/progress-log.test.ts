import { expect, test } from "vitest";
import type { FleetRequest, Rules } from "../../../src/fleet/options.ts";
import type { FleetState, StoredMachine } from "../../../src/fleet/state.ts";
import { ProgressLog } from "../../../src/report/progress-log.ts";
import { faultOf, UserError } from "../../../src/shared/user-error.ts";
import { aFleet, aMarket, anEmptyMarket, gpuJob, gpuJobs, NOW, someRules } from "../support/a-fleet.ts";
import { anOffer } from "../support/an-offer.ts";
import { decideNow } from "../support/decide-now.ts";
import { anEnding, refused, UNCERTAIN } from "../support/machine-parts.ts";
import { booting, busy, ready, spent, starting, unmade } from "../support/machines.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const SECOND = 1000;

/** The lines of one look after another. */
function loggedBy(looks: readonly FleetState[], given: Partial<Rules> = {}, requestsLeft?: number): string[] {
  const log = new RecordedLog();
  const rules = someRules(given);
  const request = { ...rules.rental, instance: { runtype: "ssh_proxy" } } as FleetRequest;
  const progress = new ProgressLog({ log, requestsLeft: () => requestsLeft }, request, rules);
  looks.forEach((fleet, index) => {
    const at = NOW + index * SECOND;
    progress.look(fleet, decideNow(fleet, given, at), at);
  });
  return [...log.lines, ...log.warnings];
}

const logged = (fleet: FleetState, given: Partial<Rules> = {}) => loggedBy([fleet], given);
const one = { jobs: gpuJobs({ waiting: 1 }) };
const SLOW = booting(1, { foundAt: NOW - 130 * SECOND });
const LATE_FOUND = booting(1, { answer: { ...UNCERTAIN, at: NOW, jitter: 0 } });
const TWINS = { ...ready(1), instances: [...ready(1).instances, ...booting(2).instances] };
const TAKEN = unmade(1, refused("offer-gone", { sentence: "no such ask" }));
const UNREGISTERED = unmade(1, { kind: "unregistered", fault: faultOf(new UserError("No runner.")) });
const UNWANTED = booting(1, { answer: { kind: "unwanted", sentence: "no disk", at: NOW, jitter: 0 } });
const ENDING = spent(1, { ending: anEnding("over", { why: "'test 1' ran on it" }) });

test.each<[string, StoredMachine, string, Partial<FleetState>?]>([
  ["starting", starting(1), "starting, its runner is offline."],
  ["ready", ready(1), "ready, its runner is online."],
  ["ending", ENDING, "over: 'test 1' ran on it."],
  ["late", SLOW, "late (2m 10s, expected 1m 40s): starting another one."],
  ["late, and another one has to wait", SLOW, "late (2m 10s, expected 1m 40s).", { repositoryAlive: 8 }],
  ["dearer", busy(1, { usdPerHour: 0.9 }), "the service asks 0.90 USD per hour for it; its offer said 0.40 USD."],
  ["made", booting(1, { verdict: undefined }), "booting as instance 701. It bills from now on, until it is destroyed."],
  ["found late", LATE_FOUND, "instance 701 turned up late, from a create that gave no answer. It bills until it is "],
  ["two of one create", TWINS, "instance 702 turned up as a second instance of one create. It bills until it is "],
  ["taken", TAKEN, "its offer was taken by somebody else (no such ask). Trying the next one."],
  ["to come later", unmade(1, refused("too-fast")), "Vast.ai asked us to slow down."],
  ["without an answer", unmade(1, UNCERTAIN), "no list showed an instance with its label: the create counts as not "],
  ["unregistered", UNREGISTERED, "No runner."],
])("how far each machine is: %s", (_what, machine, says, given) => {
  expect(logged(aFleet([machine], { ...one, ...given })).join("\n")).toContain(`machine 1: ${says}`);
});

test.each<[string, StoredMachine, string]>([
  ["has to wait", unmade(1, refused("too-fast")), "Asking for a machine again after 12 s."],
  ["was refused, and made one", UNWANTED, "Vast.ai refused, and still made instance 701 (no disk). Destroying it."],
])("a create that %s", (_which, machine, line) => {
  expect(logged(aFleet([machine], one))).toContain(line);
});

test("each thing is said once, when it changes", () => {
  const lines = loggedBy([aFleet([booting(1)], one), aFleet([booting(1)], one), aFleet([starting(1)], one)]);
  expect(lines.filter((line) => line.includes("is loading"))).toHaveLength(1);
  expect(lines.filter((line) => line.includes("starting, its runner"))).toHaveLength(1);
});

test("a GPU that the image has no code for is warned of once, as its machine is asked for", () => {
  const withoutCode = "compute capability 12.0, for which an image needs CUDA 12.8 or newer";
  const candidates = aMarket().candidates.map((candidate) => ({ ...candidate, withoutCode }));
  const two = aFleet([], { market: aMarket({ candidates }), jobs: gpuJobs({ waiting: 2 }) });
  const warned = loggedBy([two, two]).filter((line) => line.includes("min-cuda"));
  expect(warned).toEqual([
    `RTX 4090 has ${withoutCode}, and this one's name says otherwise: a job on it may fail with "no kernel image is available". Take another image or GPU. If the job brings a CUDA of its own, as pip's wheels do, write that as a number for min-cuda.`,
  ]);
  expect(loggedBy([aFleet([], { market: aMarket(), ...one })]).join()).not.toContain("min-cuda");
});

test("a CUDA version that hosts lack is told once, with the input to set", () => {
  const ending = { ...anEnding("failed", { cause: "driver" }), why: "unsatisfied condition: cuda>=12.8" };
  const offer = anOffer({ id: 51, machine_id: 5100, cuda_max_good: 13 });
  const candidates = aMarket().candidates.map((candidate) => ({ ...candidate, offer }));
  const told = (...hosts: number[]) => {
    const machines = hosts.map((n) => booting(n, { goneAt: NOW, ending }));
    const fleet = aFleet(machines, { market: aMarket({ candidates }), ...one });
    return loggedBy([fleet, fleet]).filter((line) => line.includes("min-cuda"));
  };
  expect(told(1, 2)).toEqual([
    "Two hosts said that the image needs CUDA 12.8, so the search asks for it. Set `min-cuda: 12.8`: no machine is rented in vain then.",
  ]);
  expect(told(1)).toEqual([]);
});

test("a part of max-cost that is too little for a job is warned of as the machine is asked for", () => {
  const three = aFleet([], { market: aMarket(), jobs: gpuJobs({ waiting: 3 }) });
  const warned = (jobMinutes: number, maxCost: number) => {
    const rental = { ...someRules().rental, money: { maxCost }, jobMs: jobMinutes * 60 * SECOND };
    return logged(three, { rental }).filter((line) => line.includes("after its boot"));
  };
  // Four machines, one of them a spare, at 0.40 USD an hour.
  expect(warned(40, 0.6)).toEqual([
    "0.15 USD of max-cost (0.60 USD) pay this machine for about 12m after its boot. A GPU job that takes longer loses its machine. Raise max-cost, or lower machines.",
  ]);
  expect([...warned(8, 0.6), ...warned(40, 6)]).toEqual([]);
});

test.each([
  [8, 8, "; waiting for another run."],
  [2, 2, ", all of this job; waiting for one of them."],
])("all %i machines of the repository: whose are waited for", (repositoryAlive, machinesPerRepository, whose) => {
  const jobs = gpuJobs({ waiting: 4, running: 2 });
  expect(logged(aFleet([busy(1), busy(2)], { jobs, repositoryAlive }), { machinesPerRepository })).toContain(
    `${repositoryAlive} of ${repositoryAlive} machines of this repository are alive (machines-per-repository)${whose}`,
  );
});

test.each([
  [1_800_000, "Waiting up to 30m; nothing is rented."],
  [0, "wait-for-job: 0s rents at once."],
])("no job asks yet, with wait-for-job of %i ms", (waitForJob, says) => {
  const others = "No job asks for the GPU runner yet (1 other job in this run, 0 of them open).";
  expect(logged(aFleet([], { jobs: gpuJobs({}) }), { waitForJob })).toContain(`${others} ${says}`);
});

test.each([
  ["pulls it", undefined, "It takes about 3 min to pull 3.2 GB at 400 Mbit/s."],
  ["has it, and runs before that", 45_000, ""],
])("the pull of the image is logged of a host that %s: %s", (_what, bootMs, says) => {
  const cost = { gpu: 0, storage: 0, bytes: 0, waiting: 0, total: 0 };
  const known = { standing: "proven", failedLately: false, hasImage: true, cost } as const;
  const expected = bootMs === undefined ? {} : { expected: { bootMs, ...known } };
  const candidate = { offer: anOffer({ inet_down: 400 }), price: { total: 0.4, storage: 0 }, ...expected };
  const { rental } = someRules();
  const rules = { rental: { ...rental, image: { ...rental.image, bytes: 3.2e9 } } };
  const lines = logged(aFleet([], { ...one, market: aMarket({ candidates: [candidate] }) }), rules);
  const line = lines.find((each) => each.includes("Expected to run in")) ?? "";
  expect(/(?:It takes .*)?$/.exec(line)?.[0]).toBe(says);
});

test("what else could be asked for is logged while there is no machine, not after one was to be had", () => {
  const market = anEmptyMarket();
  const again = "Searching again in 15s, if a machine is still wanted.";
  expect(logged(aFleet([], { ...one, market }))).toContain(`Too dear. Raise max-price to 0.72 or more. ${again}`);
  expect(logged(aFleet([unmade(1, refused("offer-gone"))], { ...one, market }))).toContain(`Too dear. ${again}`);
});

const beside = { since: NOW, limit: 1, times: 1 };
const heldBack = aFleet([busy(1)], { jobs: gpuJobs({ running: 1, waiting: 1 }), beside });
const ours = [gpuJob(101, "waiting", { otherLabels: ["x"] })];
const stays = booting(1, { ending: anEnding("lost"), fault: faultOf(new UserError("No.")) });
const stopped = /No more machines are rented for now \(ready-timeout is over\)/;

test.each<[string, FleetState, RegExp]>([
  ["more labels", aFleet([], { jobs: gpuJobs({}, { ours }) }), /'test 1' also asks for the label x/],
  ["an approval", aFleet([], { jobs: gpuJobs({ held: 1 }) }), /'test 1' waits for an approval/],
  ["held back", heldBack, /max-parallel/],
  ["a stop while a machine boots", aFleet([booting(1)], { ...one, unservedSince: 0 }), stopped],
  ["a machine that stays", aFleet([stays, booting(2)], one), /a machine could not be destroyed/],
])("a warning: %s", (_what, fleet, line) => {
  expect(logged(fleet, { isBidding: true, bidFallback: true }).join("\n")).toMatch(line);
});

test("a warning: a stop is not warned of where the last machine is being destroyed: the error that follows says it", () => {
  const last = aFleet([booting(1, { ending: anEnding("failed") })], { ...one, unservedSince: 0 });
  expect(logged(last).join("\n")).not.toContain("No more machines");
});

test("a warning: fewer `jobs` than wait: all are served", () => {
  const two = aFleet([], { jobs: gpuJobs({ waiting: 2 }) });
  expect(logged(two, { jobs: 1 }).join("\n")).toMatch(/^jobs: 1 is less than the 2 GPU jobs/m);
  expect(logged(two, { jobs: 2 }).join("\n")).not.toMatch(/^jobs: /m);
});

test("a warning: few requests are left", () => {
  expect(loggedBy([aFleet()], {}, 99).join("\n")).toContain("Fewer than 100 requests");
  expect(loggedBy([aFleet()], {}, 100).join("\n")).not.toContain("Fewer than 100 requests");
});

test("a machine that is kept costs what the service asks for it by now, not what its offer said; it is logged once", () => {
  const job = { isBad: true, conclusion: "failure" };
  const kept = aFleet([spent(1, { ending: anEnding("over"), usdPerHour: 1.2, job })]);
  const lines = loggedBy([kept, kept], { keepFailed: 600_000 }).filter((line) => line.includes("is kept, because"));
  expect(lines).toEqual([expect.stringContaining("It costs 0.0200 USD a minute")]);
});

test("a machine that is ready is logged once with its price and its end, however often it is ready again", () => {
  const lines = loggedBy([aFleet([ready(1)]), aFleet([busy(1)]), aFleet([ready(1)])]);
  expect(lines.filter((line) => line.includes("s after it was asked for"))).toEqual([
    // Its runner is online for ten seconds.
    expect.stringMatching(/^machine 1: ready \d+ s after .* back at 1970-01-01T02:59:50.000Z at the latest\.$/),
  ]);
});
