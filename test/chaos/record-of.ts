import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { type Fault, Faults, type Where } from "../stories/fault.ts";
import type { Ended, Happened, Happening, Job, RunRecord } from "../stories/referee/record.ts";
import { aStory } from "../stories/story.ts";
import { askedOfGithub, askedOfService, jobsIn, machinesIn, type Struck } from "./books.ts";
import type { ChaosWorld } from "./open-world.ts";
import type { Fault as Played } from "./plan.ts";
import type { Stage } from "./run-entry.ts";
import { OPERATIONS, type PlannedRun } from "./simulated.ts";

type Timed = Happening & { at: number };

/** Between what GitHub notes and what is seen of it here. */
const BLUR_MS = 3000;
/** A list that is asked for shows a job that GitHub shows, so many seconds later at most. */
const LISTED_S = 10;

/** The one place of each operation, beside those that mean all of a token or of the service. */
const ALL_OF: readonly string[] = ["service", "github-token", "job-token"];
const PLACES = new Map(
  Object.entries(OPERATIONS).flatMap(([place, operations]) =>
    ALL_OF.includes(place) ? [] : operations.map((operation): [string, Where] => [operation, place as Where]),
  ),
);

/** What was seen of a run that is over. */
export interface Seen extends Pick<ChaosWorld, "begun" | "session" | "bystanders" | "transcript"> {
  plan: PlannedRun;
  stages: readonly Stage[];
  deaths: readonly Struck[];
  /** Ids of ours that could have ended themselves, and still were there after the time on their label, and when. */
  overdue: readonly { at: number; id: number }[];
  breaches: readonly string[];
}

/** The record of a run, from the simulator's books and what was seen of its processes. */
export function recordOf(seen: Seen): RunRecord {
  const { breaches, bystanders, plan, session, stages, transcript } = seen;
  const { inputs, isHeavy } = plan;
  const records = session.instances().filter((each) => !bystanders.includes(each));
  const read = { ...seen, records, mainLog: stages[0]?.log ?? "" };
  const boxes = machinesIn(read);
  const jobs = jobsIn(read, boxes);
  const faults = new Faults();
  faults.met.push(...metIn(seen));
  const story = aStory({
    ...{ machines: Number(inputs.machines), hold: inputs.hold !== "false", jobsLagS: LISTED_S },
    maxCost: inputs["max-cost"] === undefined ? undefined : Number(inputs["max-cost"]),
    lifetimeS: Number.parseInt(inputs["max-lifetime"] ?? "", 10) * 60,
    keepFailedS: inputs["keep-failed"] === undefined ? 0 : 30,
  });
  const happened: Happened = { now: 0, story, boxes, jobs, note: (line) => transcript.push(line) };
  return {
    ...{ happened, faults, breaches, blurMs: BLUR_MS },
    ...(isCalm(plan) && { able: plan.jobs.flatMap((job, id) => (canDoWell(job) ? [id] : [])) }),
    isKnown: ({ isLate }) => !isLate,
    mayGiveUp: () => isHeavy,
    timeline: timelineOf(seen, happened),
  };
}

function timelineOf(seen: Seen, { boxes, jobs }: Happened): Timed[] {
  const { begun, bystanders, overdue, session, stages } = seen;
  const since = (at: number) => at - begun;
  const machineOf = (id: number) => boxes.filter((each) => each.id === id);
  const outlived = overdue.flatMap(({ at, id }) =>
    machineOf(id).map((machine): Timed => ({ at: since(at), what: "outlives its label", machine })),
  );
  // What was destroyed by our keys, a moment before.
  const destroyed = session.instances().flatMap((record): Timed[] => {
    const end = destruction(record);
    if (end === undefined || end.by === "owner") return [];
    const at = since(end.at) - 1;
    if (bystanders.includes(record)) return [{ at, what: "destroys another's", id: record.id, swept: "never" }];
    const by = end.by === "account" ? "us" : "itself";
    return machineOf(record.id).map((machine): Timed => ({ at, what: "destroys", machine, by }));
  });
  const began = stages.map(
    ({ entry, startedAt }): Timed => ({
      ...{ at: since(startedAt), what: "begins", phase: entry, isRunOver: entry === "sweep" },
    }),
  );
  const ended = stages.map(
    (stage): Timed => ({ at: since(stage.endedAt), isLast: stage === stages.at(-1), ...endOf(stage, jobs) }),
  );
  const all = [...began, ...askedIn(seen), ...destroyed, ...outlived, ...ended];
  return all.toSorted((one, other) => one.at - other.at);
}

/** Requests of ours, and what they meant. */
function askedIn({ begun, bystanders, session: { sim } }: Seen): Timed[] {
  const ofService = askedOfService(sim).flatMap(({ at, faults, method, operation, path, request }) => {
    const { label = "" } = (request ?? {}) as { label?: string };
    const create = { n: Number(label.split(".").at(-2)), label };
    const other = bystanders.find(({ id }) => method !== "GET" && path.includes(`/instances/${id}`));
    const meant: Happening[] = [{ what: "asks" }];
    if (operation === "createInstance") meant.push({ what: "creates", create }, { what: "created" });
    if (operation === "listInstances" && faults.length === 0) meant.push({ what: "lists" });
    if (other !== undefined) meant.push({ what: "destroys another's", id: other.id, swept: "never" });
    return meant.map((each): Timed => ({ ...each, at: at - begun }));
  });
  return [...ofService, ...askedOfGithub(sim).map(({ at }): Timed => ({ at: at - begun, what: "asks GitHub" }))];
}

/** How a process ended, and what it said. */
function endOf(stage: Stage, jobs: readonly Job[]): Ended {
  const { endedAt, entry, exitCode, killed, log, overran, startedAt } = stage;
  const errors = log.split("\n").filter((line) => line.startsWith("::error"));
  const blames = errors.filter((line) => /title=[^:]*\((?:GpuJobFailedError|MachineLostError)\)::/.test(line));
  const isByItself = killed === undefined && !overran && exitCode !== null;
  return {
    ...{ what: "ends", stage: entry, isGreen: isByItself ? exitCode === 0 : undefined },
    named: jobs.flatMap(({ id, name }) => (blames.some((line) => line.includes(`'${name}'`)) ? [id] : [])),
    undestroyed: errors.filter((line) => line.includes("InstanceNotDestroyedError")),
    process: {
      ...{ exitCode, overran, log, tookMs: endedAt - startedAt, isStopped: log.includes("Stopped by SIG") },
      wasKilled: killed !== undefined && exitCode === null,
    },
  };
}

/** The faults that hit requests of ours, in the story's words. */
function metIn({ begun, plan, session: { sim }, stages }: Seen): Faults["met"] {
  return [...askedOfService(sim), ...askedOfGithub(sim)].flatMap(({ at, faults, operation }) => {
    const entry = stages.findLast(({ startedAt }) => startedAt <= at)?.entry ?? "main";
    const where = PLACES.get(operation);
    if (where === undefined) return [];
    const drawn = (kind: string) =>
      plan.faults[entry].filter((each) => each.kind === kind && each.operation === operation);
    return faults.map((kind) => ({ at: at - begun, fault: metAs(where, kind, drawn(kind)) }));
  });
}

/** What a list hides matters, and of the others that they were there. */
function metAs(where: Where, kind: string, drawn: readonly Played[]): Fault {
  const detail = Math.max(0, ...drawn.map((each) => ("seconds" in each ? (each.seconds ?? 0) : 0)));
  const whole = { where, fromS: 0, lastsS: 0, times: 1, detail };
  const isHidden = drawn.some((each) => each.kind === "short-list" && each.total === "shown");
  if (kind === "short-list") return { ...whole, what: isHidden ? "empty" : "empty, honest" };
  return { ...whole, what: kind.startsWith("stale") ? "old" : "lost" };
}

/** Nothing goes wrong but some machines, and GitHub holds no job back. */
function isCalm({ faults: { main }, had, inputs, jobs, mainDeath, matrix, offers, ...run }: PlannedRun): boolean {
  const faults = [...had, ...main, ...run.machineFaults, ...run.machineDeaths];
  const bad = offers.filter(({ simulate }) => simulate.instanceKey || simulate.machine?.onstart === "skip");
  const canPay = Number(inputs["max-cost"] ?? 1) >= 1;
  const isPatient = Number(inputs.attempts) > bad.length && inputs["search-timeout"] !== "0s" && canPay;
  // GitHub counts a job whose machine is gone as running for minutes.
  const isHeldBack = matrix !== undefined && jobs.some(({ does }) => does === "endless");
  const isWell = faults.length === 0 && mainDeath === undefined && !isHeldBack;
  return isWell && isPatient && inputs["boot-timeout"] !== "60s";
}

function canDoWell({ cancelledAfter, does }: PlannedRun["jobs"][number]): boolean {
  return cancelledAfter === undefined && (does === "short" || does === "long");
}
