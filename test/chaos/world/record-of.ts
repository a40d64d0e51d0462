import { destruction, type InstanceRecord } from "../../../simulator/service/rentals/instance-record.ts";
import { aStory } from "../../stories/a-story.ts";
import { type Fault, Faults, type Where } from "../../stories/fault.ts";
import type { Ended, Happened, Happening, Job, Machine, RunRecord } from "../../stories/referee/record.ts";
import type { SimulatedSession } from "../../support/simulated-session.ts";
import type { Entry, PlannedRun } from "../planned-run.ts";
import type { Stage } from "./run-entry.ts";
import type { Struck, Watch } from "./watch.ts";

type Timed = Happening & { at: number };

/** Between what GitHub notes and what is seen of it here. */
const BLUR_MS = 3000;
/** A list that is asked for shows a job that GitHub shows, so many seconds later at most. */
const LISTED_S = 10;

const PLACES: Readonly<Partial<{ [operation: string]: Where }>> = {
  ...{ listInstances: "list", getInstance: "get", createInstance: "create", destroyInstance: "destroy" },
  ...{ searchOffers: "search", generateJitConfig: "register", listRunners: "runners", getRunner: "runners" },
  ...{ removeRunner: "remove", listJobs: "jobs", cancelRun: "cancel" },
};

/** What was seen of a run that is over. */
export interface Seen {
  plan: PlannedRun;
  session: SimulatedSession;
  bystanders: readonly InstanceRecord[];
  watch: Watch;
  stages: readonly Stage[];
  deaths: readonly Struck[];
  /** Ids of ours that could have ended themselves, and still were there after the time on their label, and when. */
  overdue: readonly { at: number; id: number }[];
  breaches: readonly string[];
  transcript: string[];
}

/** The record of a run, from the simulator's books and what was seen of its processes. */
export function recordOf(seen: Seen): RunRecord {
  const { breaches, bystanders, deaths, plan, session, stages, transcript, watch } = seen;
  const ours = session.instances().filter((each) => !bystanders.includes(each));
  const boxes = watch.machines(ours, stages[0]?.log ?? "", deaths);
  const jobs = watch.jobs(ours, boxes, deaths);
  const faults = new Faults([]);
  faults.met.push(...metIn(seen));
  const happened: Happened = { now: 0, story: storyOf(plan), boxes, jobs, note: (line) => transcript.push(line) };
  const able = isCalm(plan) ? { able: jobs.flatMap(({ id }) => (canDoWell(plan, id) ? [id] : [])) } : {};
  return {
    ...{ happened, faults, breaches, blurMs: BLUR_MS, ...able },
    isKnown: ({ isLate }) => !isLate,
    mayGiveUp: () => plan.isHeavy,
    timeline: timelineOf(seen, happened),
  };
}

function storyOf({ inputs }: PlannedRun): Happened["story"] {
  return aStory({
    machines: Number(inputs.machines ?? 1),
    hold: inputs.hold !== "false",
    maxCost: inputs["max-cost"] === undefined ? undefined : Number(inputs["max-cost"]),
    lifetimeS: Number.parseInt(inputs["max-lifetime"] ?? "120", 10) * 60,
    keepFailedS: inputs["keep-failed"] === undefined ? 0 : 30,
    jobsLagS: LISTED_S,
  });
}

function timelineOf(seen: Seen, { boxes, jobs }: Happened): Timed[] {
  const { overdue, stages, watch } = seen;
  const find = (id: number) => boxes.find((each) => each.id === id);
  const outlived = overdue.flatMap(({ at, id }): Timed[] => {
    const machine = find(id);
    return machine === undefined ? [] : [{ at: at - watch.begun, what: "outlives its label", machine }];
  });
  const began = stages.map(({ entry, startedAt }): Timed => {
    return { at: startedAt - watch.begun, what: "begins", phase: entry, isRunOver: entry === "sweep" };
  });
  const ended = stages.map((stage): Timed => {
    return { at: stage.endedAt - watch.begun, isLast: stage === stages.at(-1), ...endOf(stage, jobs) };
  });
  const all = [...began, ...askedIn(seen), ...endsOf(seen, find), ...outlived, ...ended];
  return all.toSorted((one, other) => one.at - other.at);
}

/** Requests of ours, as both places noted them, and what they meant. */
function askedIn({ bystanders, session: { sim }, watch }: Seen): Timed[] {
  const ofService = sim.service.journal.entries.filter(({ caller }) => caller === "account");
  return [
    ...ofService.flatMap(({ at, faults, method, operation, path, request }) => {
      const { label = "" } = (request ?? {}) as { label?: string };
      const create = { n: Number(label.split(".").at(-2)), label };
      const other = bystanders.find(({ id }) => method !== "GET" && path.includes(`/instances/${id}`));
      const meant: Happening[] = [
        { what: "asks" },
        ...(operation === "createInstance" ? ([{ what: "creates", create }, { what: "created" }] as const) : []),
        ...(operation === "listInstances" && faults.length === 0 ? ([{ what: "lists" }] as const) : []),
        ...(other === undefined ? [] : [{ what: "destroys another's", id: other.id, swept: "never" } as const]),
      ];
      return meant.map((each): Timed => ({ ...each, at: at - watch.begun }));
    }),
    ...sim.github.journal.entries
      .filter(({ token }) => token === "runner" || token === "job")
      .map(({ at }): Timed => ({ at: Date.parse(at) - watch.begun, what: "asks GitHub" })),
  ];
}

/** What was destroyed by our keys, a moment before. */
function endsOf({ bystanders, session, watch }: Seen, find: (id: number) => Machine | undefined): Timed[] {
  return session.instances().flatMap((record): Timed[] => {
    const end = destruction(record);
    if (end === undefined || end.by === "owner") return [];
    const at = end.at - watch.begun - 1;
    if (bystanders.includes(record)) return [{ at, what: "destroys another's", id: record.id, swept: "never" }];
    const machine = find(record.id);
    const by = end.by === "account" ? "us" : "itself";
    return machine === undefined ? [] : [{ at, what: "destroys", machine, by }];
  });
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

/** The faults that hit requests of ours. */
function metIn({ plan, session: { sim }, stages, watch }: Seen): Faults["met"] {
  const ofService = sim.service.journal.entries.filter(({ caller }) => caller === "account");
  const hits = [
    ...ofService.flatMap(({ at, faults, operation }) => faults.map((kind) => ({ at, kind, operation }))),
    ...sim.github.journal.entries.flatMap(({ at, fault: kind, operation = "" }) =>
      kind === undefined ? [] : [{ at: Date.parse(at), kind, operation }],
    ),
  ];
  return hits.flatMap(({ at, kind, operation }) => {
    const entry = stages.findLast(({ startedAt }) => startedAt <= at)?.entry ?? "main";
    const where = PLACES[operation];
    return where === undefined ? [] : [{ at: at - watch.begun, fault: metAs(where, { entry, kind, operation, plan }) }];
  });
}

/** The story's word for a fault of the simulator: what a list hides matters, of the others that they were there. */
function metAs(
  where: Where,
  { entry, kind, operation, plan }: { entry: Entry; kind: string; operation: string; plan: PlannedRun },
): Fault {
  const { github, service } = plan.faults[entry];
  const drawn = [...service, ...github].filter((each) => each.kind === kind && each.operation === operation);
  const seconds = drawn.flatMap((each) => ("seconds" in each && each.seconds !== undefined ? [each.seconds] : []));
  const isHidden = drawn.some((each) => each.kind === "short-list" && each.total === "shown");
  const whole = { where, fromS: 0, lastsS: 0, times: 1, detail: Math.max(0, ...seconds) };
  if (kind === "stale" || kind === "stale-list") return { ...whole, what: "old" };
  if (kind === "short-list") return { ...whole, what: isHidden ? "empty" : "empty, honest" };
  return { ...whole, what: "lost" };
}

/** Nothing goes wrong but some machines, and GitHub holds no job back. */
function isCalm({
  faults: { main },
  had,
  inputs,
  jobs,
  machineDeaths,
  machineFaults,
  mainDeath,
  matrix,
  offers,
}: PlannedRun) {
  const faults = [...had, ...main.service, ...main.github, ...machineFaults, ...machineDeaths];
  const bad = offers.filter(({ simulate }) => simulate?.instanceKey || simulate?.machine?.onstart === "skip");
  const canPay = Number(inputs["max-cost"] ?? 1) >= 1;
  const isPatient = Number(inputs.attempts) > bad.length && inputs["search-timeout"] !== "0s" && canPay;
  // GitHub counts a job whose machine is gone as running for minutes.
  const isHeldBack = matrix !== undefined && (matrix.failFast || jobs.some(({ does }) => does === "endless"));
  const isWell = faults.length === 0 && mainDeath === undefined && !isHeldBack;
  return isWell && isPatient && inputs["boot-timeout"] !== "60s";
}

function canDoWell({ jobs }: PlannedRun, index: number): boolean {
  const { cancelledAfter, does } = jobs[index] ?? {};
  return cancelledAfter === undefined && (does === "short" || does === "long");
}
