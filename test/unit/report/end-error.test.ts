import { expect, test } from "vitest";
import type { End } from "../../../src/fleet/end.ts";
import type { FleetRequest } from "../../../src/fleet/options.ts";
import { type StopId, stopOf } from "../../../src/fleet/renting/stop.ts";
import type { CreateOutcome, Ending, FleetState, LostJob, StoredMachine } from "../../../src/fleet/state.ts";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import { LabelInUseError } from "../../../src/github/registrations.ts";
import type { IfNoMachine } from "../../../src/release/session.ts";
import { errorOf } from "../../../src/report/end-error.ts";
import { faultOf, UserError } from "../../../src/shared/user-error.ts";
import { aFleet, anEmptyMarket, gpuJob, gpuJobs, NOW, someFacts, someOptions, someRules } from "../support/a-fleet.ts";
import { aCandidate } from "../support/an-offer.ts";
import { anEnding, aSlot, aSlotJob, refused } from "../support/machine-parts.ts";
import { booting, ready, spent, unmade } from "../support/machines.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const FAULT = faultOf(new UserError("It stays.", { hint: "Destroy it." }));

interface Given extends Partial<FleetState> {
  money?: FleetRequest["money"];
  named?: { image: string } | { templateHashId: string };
  failWithJob?: boolean;
  ifNoMachine?: IfNoMachine;
}

function errorOfEnd(
  end: End,
  { money = {}, failWithJob = true, ifNoMachine = "auto", named = { image: "debian:13" }, ...given }: Given = {},
): UserError | undefined {
  const fleet = aFleet([], { repositoryAlive: 0, ...given });
  const instance = { ...named, runtype: "ssh_proxy", disk: 32 } as const;
  const request = { ...someRules().rental, money, instance } as FleetRequest;
  const rest = { request, now: NOW, runnerLabel: "gpu-4711-1", failWithJob, ifNoMachine } as const;
  return errorOf(end, { fleet, options: someOptions(), ...rest });
}

/** `detail`: what the row's predicate found. */
function errorOfStop(id: StopId, given: Given = {}, detail: unknown = true): UserError {
  const error = errorOfEnd({ kind: "stopped", stop: { id, detail }, jobs: [] }, given);
  if (error === undefined) throw new Error("A stop is an error.");
  return error;
}

/** Asks the rows first: that of `id` must hold, and its error tells what it found. */
function errorOfRow(id: StopId, given: Given): UserError {
  const { money = {}, named: _named, failWithJob: _fail, ifNoMachine: _if, ...state } = given;
  const rules = { hasProbe: true, rental: { ...someRules().rental, money } };
  const stop = stopOf(someFacts(aFleet([], { repositoryAlive: 0, ...state }), rules));
  expect(stop?.id).toBe(id);
  return errorOfStop(id, given, stop?.detail);
}

const failure = (n: number, cause: Ending["cause"]) =>
  booting(n, { ending: anEnding("failed", { cause }), goneAt: NOW });
/** So many creates on hosts of their own, the last one so long ago. */
const creates = (times: number, outcome: CreateOutcome, ago = SECOND): StoredMachine[] =>
  Array.from({ length: times }, (_one, index) => unmade(50 + index, outcome, { ago: ago + (times - index) }));
const TOO_FAST = refused("too-fast", { status: 429 });
const unanswered = { kind: "unregistered", fault: faultOf(new GithubUnavailableError("register it", "502")) } as const;
const UNANSWERED = unanswered.fault.message;
const taken = [51, 52].map((id) => unmade(id, refused("offer-gone"), { candidate: aCandidate(id) }));

/** What becomes of a job that can have no machine. */
const FATES: [IfNoMachine, string][] = [
  ["auto", "will be cancelled with the run once no other job is open."],
  ["leave", "will wait for up to a day: cancel the run."],
];

test.each([
  [600, " About 0.0010 USD spent."],
  [1, " Less than 0.0001 USD spent."],
  [0, " Nothing was spent, traffic not counted."],
])("what was spent until renting stopped, by a machine of %i min", (minutes, sentence) => {
  const candidate = { ...aCandidate(1), price: { total: 0.4, storage: 0.0001 } };
  const ended = { ending: anEnding("failed"), goneAt: NOW, foundAt: NOW - minutes * MINUTE };
  expect(errorOfStop("attempts", { machines: [booting(1, { candidate, ...ended })] }).message).toContain(sentence);
});

test("another session has the label: its machines serve the jobs that wait, and nobody cancels the run", () => {
  const answer = { kind: "unregistered", fault: faultOf(new LabelInUseError("gpu-4711-1", "rival")) } as const;
  const jobs = gpuJobs({ waiting: 1 });
  const end = { kind: "stopped", stop: { id: "unregistered", detail: answer.fault }, jobs: jobs.ours } as const;
  const error = errorOfEnd(end, { machines: creates(2, answer), jobs });
  expect(error?.kind).toBe("label-in-use");
  expect(error?.message).toBe("A runner with the label gpu-4711-1 is registered already (rival). Nothing was rented.");
});

/** Nothing has fitted for as long as a machine may take to be ready. */
const NOTHING_FITS = { market: anEmptyMarket({ times: 9 }), noOfferSince: NOW - 25 * MINUTE };
const slowedDown = (times: number) => ({ machines: [failure(1, "machine"), ...creates(times, TOO_FAST)] });
/** Other runs have all machines of the repository, and GitHub gave no answer once. */
const FULL = { machines: creates(1, unanswered, 20 * MINUTE), repositoryAlive: 8 };
const ANSWERED_ONCE = creates(1, unanswered, 25 * MINUTE);
const OUTAGE = { machines: creates(9, unanswered, 2 * MINUTE) };
const ALL_OURS = { machines: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => spent(n)), repositoryAlive: 8 };
const DEAR = { market: anEmptyMarket({ searchedAt: NOW + SECOND }, "max-cost"), noOfferSince: 0 };
const TWO_BROKEN = [failure(1, "machine"), failure(2, "machine")];
const LAST_BY_GITHUB = { machines: [...slowedDown(14).machines, unmade(99, unanswered, { ago: 0 })] };

const RAISE_PRICE = /^Raise max-price to 0\.72 or more\.$/;
const market = anEmptyMarket();
const UNSEARCHED = anEmptyMarket({ nothing: { kind: "fault", fault: FAULT } });
const TOO_SMALL = creates(1, refused("rejected", { sentence: "disk is too small" }));
const NO_CREDIT = refused("no-credit", { sentence: "no credit left" }).refusal;
const ONE = [failure(1, "boot")];
const BOTH = /raise boot-timeout\. For other offers: raise max-price to 0\.72 or more\.$/;
const UNKNOWN = "MANIFEST_UNKNOWN";
const NO_IMAGE = `15 s apart, it said ${UNKNOWN}. Nothing was rented.`;
const BUILD = /^Build it with `--platform linux\/amd64`\. If a job of this run builds it/;
const NO_RUNNER = [failure(1, "runner"), failure(2, "runner")];
const MOST = Array.from({ length: 999 }, (_, n) => booting(n + 1));

test.each<[string, StopId, Given, string | RegExp, RegExp?, unknown?]>([
  ["nothing fitted", "ready-timeout", NOTHING_FITS, /^Too dear\. Searched for all of ready-timeout \(25m/, RAISE_PRICE],
  ["something may fit", "ready-timeout", { market: NOTHING_FITS.market }, /^No machine was ready within ready-timeout/],
  ["we are too fast", "ready-timeout", slowedDown(14), "Vast.ai asked us to slow down, 14 times."],
  ["… and were once", "ready-timeout", slowedDown(1), "Vast.ai asked us to slow down, 1 time."],
  ["GitHub said no last", "ready-timeout", LAST_BY_GITHUB, UNANSWERED],
  ["others have all, and GitHub's answer is long past", "ready-timeout", FULL, /\(25m\)\. 8 of 8/, /machines-per-repo/],
  ["nothing fits since that answer", "ready-timeout", { ...NOTHING_FITS, machines: ANSWERED_ONCE }, /^Too dear\./],
  ["an outage goes on", "ready-timeout", OUTAGE, /^GitHub could not be asked to register it \(502\)\. N/],
  ["all machines are ours", "ready-timeout", ALL_OURS, "ready-timeout", /ask for a GPU/],
  ["there is room", "ready-timeout", { repositoryAlive: 7 }, "ready-timeout", /ask for a GPU/],
  ["… and nothing else fits", "no-offer", { machines: ONE, market }, /boot\. .* No other offer fits\. /, BOTH],
  ["… with the same words", "attempts", { machines: TWO_BROKEN }, "failed", /look at the image and at env, too\.$/],
  ["nothing fits", "no-offer", { market }, /^Too dear\. Searched for all of search-timeout \(10m\)\. /],
  // By now nothing else fits.
  ["others took what did fit", "no-offer", { market, machines: taken }, /^None of the 2 matching offers could/],
  ["the last create was refused", "no-offer", { market, machines: TOO_SMALL }, "disk is too small"],
  ["nobody can search", "no-offer", { market: UNSEARCHED }, /^It stays\./, /^Destroy it\.$/],
  ["all creates are refused", "refused", {}, /no credit left.*Nothing was rented\.$/, /./, NO_CREDIT],
  [
    "the registry has no image",
    "no-image",
    {},
    `:13: asked twice, ${NO_IMAGE}`,
    /^.*If a job of this run builds it/,
    UNKNOWN,
  ],
  [
    "it has one for another platform",
    "no-image",
    {},
    /^The registry has no image debian:13 for linux/,
    BUILD,
    "only for arm64",
  ],
  ["GitHub's program refuses", "runners-refused", { machines: NO_RUNNER }, /“No” .*rented any more\.$/, /./, "No"],
  [
    "999 machines were asked for",
    "creates",
    { machines: MOST },
    /^This session has asked for 999 machines, the most that/,
  ],
])("why renting stopped, and what to do: %s", (_why, id, given, message, hint = /./, detail = true) => {
  const error = errorOfStop(id, given, detail);
  expect(error.message).toMatch(message);
  expect(error.hint).toMatch(hint);
});

const WITH_PROBE = [failure(1, "boot"), failure(2, "preparing"), failure(3, "online"), failure(4, "preparing")];
const PROBE_SAID = { by: "script", text: "This machine is no good: probe ended with code 1. no CUDA" } as const;
const QUOTED = [failure(1, "preparing"), { ...failure(2, "preparing"), words: PROBE_SAID }];
const BAD_IMAGE = [1, 2].map((n) =>
  booting(n, { ending: anEnding("failed", { cause: "image", why: `no manifest ${n}` }), goneAt: NOW }),
);
const OF_TEMPLATE = { machines: BAD_IMAGE, named: { templateHashId: "4e17788f" } };
const MONTH = { maxCost: 0.1, month: { most: 50, spent: { usd: 49.9, unread: 0, mean: 0 } } };
const OF_MONTH = /^MonthlyCostError: This workflow has spent 49\.90 of 50/;

test.each<[string, StopId, Given, string | RegExp]>([
  ["the probe, for machines that ended in it", "probe", { machines: WITH_PROBE }, /: 2 machines gave themselves/],
  ["its own words are quoted", "probe", { machines: QUOTED }, `The last one said: ${PROBE_SAID.text} `],
  ["a template's", "image", OF_TEMPLATE, /: Two machines could not pull the image of template 4e17788f: /],
  ["what is left", "max-cost", { ...DEAR, machines: ONE, money: { maxCost: 0.5 } }, /^BudgetError: .*0\.50 USD/],
  ["… whichever way that is found", "no-offer", { ...DEAR, money: MONTH }, OF_MONTH],
])("a row that holds says its reason: %s", (_what, id, given, says) => {
  const error = errorOfRow(id, given);
  expect(`${error.name}: ${error.message}`).toMatch(says);
});

const mistyped = { ...gpuJob(101, "waiting", { url: "https://job/101" }), label: "gpu-4711" };

test.each(FATES)("the jobs that did not run are named, and what becomes of them with %s", (ifNoMachine, fate) => {
  const end = { kind: "stopped", stop: { id: "ready-timeout", detail: true }, jobs: [gpuJob(101, "waiting")] } as const;
  expect(errorOfEnd(end, { ifNoMachine })?.message).toContain(`'test 1' did not run, and ${fate}`);
  const asks = "'test 1' (https://job/101) asks for gpu-4711. No runner has that label.";
  const message = `${asks} This run's runners have gpu-4711-1. 'test 1' ${fate} Nothing was rented.`;
  const hint = `Paste this into the job: \`runs-on: gpu-\${{ github.run_id }}-\${{ github.run_attempt }}\`.`;
  const error = errorOfEnd({ kind: "mistyped", jobs: [mistyped] }, { ifNoMachine });
  expect(error).toMatchObject({ message, hint, kind: "mistyped-label" });
});

test("of many jobs with a label one step from ours the first ones are named", () => {
  const jobs = [1, 2, 3, 4, 5].map((id) => ({ ...mistyped, id }));
  expect(errorOfEnd({ kind: "mistyped", jobs })?.message).toMatch(/, and 2 others\. .* 'test 1', .* will be /);
});

const ofJob = { id: 101, name: "test 1", url: undefined };
const lost: LostJob = { ...ofJob, machineNo: 1, instanceId: 701, went: "vanished", cutBy: undefined };
const bad = gpuJob(101, "over", { conclusion: "failure", runnerName: "gpu" });
const over = { kind: "over", bad: [], lost: [], refused: [] } as const;
const othersOpen = [{ name: "lint", status: "queued", labels: ["ubuntu-latest"] }];

test.each<End>([{ kind: "ready" }, { kind: "none-came" }, over])("no error: %j", (end) => {
  expect(errorOfEnd(end)).toBeUndefined();
});

test("an end in the jobs: one failed: an error, unless fail-with-job is false", () => {
  expect(errorOfEnd({ ...over, bad: [bad] })?.name).toBe("GpuJobFailedError");
  expect(errorOfEnd({ ...over, bad: [bad] }, { failWithJob: false })).toBeUndefined();
});

const ended = (given: Partial<Extract<End, { kind: "over" }>>): End => ({ ...over, ...given });
const cut = (cutBy: "max-cost" | "max-lifetime") => ended({ lost: [{ ...lost, cutBy }] });
const beside = gpuJob(101, "waiting", { otherLabels: ["self-hosted"] });
const noJobCame =
  /^If it has `needs:` on this job, remove it\. .*`runs-on: gpu-\$\{\{ github\.run_id \}\}-\$\{\{ github\.run_attempt \}\}`/;

test.each<[string, End, RegExp, RegExp]>([
  ["one was lost, and one failed", ended({ bad: [bad], lost: [lost] }), /^Instance 701 vanished under/, /Re-run/],
  ["one was cut by max-cost", cut("max-cost"), /^max-cost is used up/, /^Raise max-cost/],
  ["one was cut by its lifetime", cut("max-lifetime"), /^max-lifetime is over/, /timeout-minutes/],
  ["one asks for more labels", ended({ refused: [beside] }), /also asks for the label self-hosted/, /that one label/],
  ["no other job", { kind: "no-other-job" }, /^No other job is visible/, /needs/],
  ["no list", { kind: "list-unreadable", why: "403: no" }, /could not be read .*: 403: no\. Nothing/, /githubstatus/],
  ["none asked", { kind: "none-asked" }, /^No job asked .* gpu-4711-1 within wait-for-job \(30m\)/, /: ubuntu-/],
  ["none came", { kind: "none-to-come" }, /^No GPU job came\. Nothing/, noJobCame],
  ["too few", { kind: "too-few", came: 2, expected: 3 }, /^2 of 3 GPU jobs came/, /Correct `jobs`/],
  ["held", { kind: "held", job: gpuJob(101, "held") }, /^'test 1' waited for an approval/, /environment/],
])("an end in the jobs: %s", (_what, end, message, hint) => {
  const error = errorOfEnd(end, { jobs: gpuJobs({}, { othersOpen }) });
  expect(error?.message).toMatch(message);
  expect(error?.message).toMatch(/Nothing was rented\.$/);
  expect(error?.hint).toMatch(hint);
});

test("a job that waits while a runner is ready that had one which never began: that runner may still hold it", () => {
  const dead = ready(1, { slots: [aSlot(1, { runner: "offline", wasBusy: true, onlineAt: NOW })] });
  const end = { kind: "stopped", stop: { id: "passed-over", detail: true }, jobs: [gpuJob(101, "waiting")] } as const;
  const error = errorOfEnd(end, { machines: [dead, ready(2)] });
  const says = "GitHub gave machine 1 a job that never began: it may still be bound to that runner";
  expect(error).toMatchObject({ name: "PassedOverError", message: expect.stringContaining(says) });
  expect(error?.hint).toMatch(/^Cancel the run, and run it again/);
  const began = ready(1, { slots: [aSlot(1, { wasBusy: true, job: aSlotJob(1, { isOver: true }) })] });
  expect(errorOfEnd(end, { machines: [began] })?.hint).toMatch(/runner group/);
});
