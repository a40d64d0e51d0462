import { destruction, type InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import { type Fault, Faults, type Where } from "../stories/fault.ts";
import type { Ended, Happened, Happening, Job, Machine, RunRecord } from "../stories/referee/record.ts";
import { aStory } from "../stories/story.ts";
import { type ChaosWorld, isRunnerOf } from "./open-world.ts";
import type { Stage } from "./run-entry.ts";
import { isOfService, OPERATIONS, type PlannedRun, type Played } from "./simulated.ts";

type Timed = Happening & { at: number };

/** Between what GitHub notes and what is seen of it here. */
const BLUR_MS = 3000;
/** A list that is asked for shows a job that GitHub shows, so many seconds later at most. */
const LISTED_S = 10;

/** So much later than a machine's deadline its label expires. */
const LABEL_SLACK_MS = 15 * 60_000;
/** A machine counts from the start of its first listener, which is online so much later at most. */
const CONNECTS_MS = 15_000;
const NEVER = Number.POSITIVE_INFINITY;
/** Deaths that end the container, or start it anew: no job is on it any more, whatever GitHub lists. */
const HALTS: readonly string[] = ["outbid", "rebooted", "offline", "back-online", "exited"];
const PLACES = Object.keys(OPERATIONS) as Where[];

/** A machine's death, when it came. */
export interface Struck {
  at: number;
  how: string;
  id: number;
}

/** A request of ours, as the journal of its place has it. */
interface Asked {
  at: number;
  operation: string;
  method: string;
  path: string;
  /** The kinds of the faults that hit it. */
  faults: readonly string[];
  request?: unknown;
}

type Runner = ReturnType<Simulator["github"]["runnersEver"]>[number];

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
  const { breaches, plan, transcript } = seen;
  const { inputs } = plan;
  const boxes = machinesIn(seen);
  const jobs = jobsIn(seen, boxes);
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
    mayGiveUp: () => plan.faults.post.some(isOfService),
    timeline: timelineOf(seen, happened),
  };
}

function timelineOf(seen: Seen, { boxes, jobs }: Happened): Timed[] {
  const { begun, overdue, session, stages } = seen;
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
  const ofService = askedOfService(sim).flatMap(({ at, method, operation, path, request }) => {
    const { label = "" } = (request ?? {}) as { label?: string };
    const create = { n: Number(label.split(".").at(-2)), label };
    const other = bystanders.find(({ id }) => method !== "GET" && path.includes(`/instances/${id}`));
    const meant: Happening[] = [{ what: "asks" }];
    if (operation === "createInstance") meant.push({ what: "creates", create }, { what: "created" });
    if (other !== undefined) meant.push({ what: "destroys another's", id: other.id, isLeft: false });
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
    // Those that mean all of a token or of the service come later in the table.
    const where = PLACES.find((place) => OPERATIONS[place].some((each) => each === operation));
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

/** What our instances came to. */
function machinesIn(seen: Seen): Machine[] {
  const { begun, deaths, plan, session, stages } = seen;
  const { sim } = session;
  const since = (at: number) => at - begun;
  const livesMs = Number.parseInt(plan.inputs["max-lifetime"] ?? "", 10) * 60_000;
  const records = oursIn(seen);
  return records.map((record): Machine => {
    const { createdAt, id, label, visibleAt } = record;
    const text = label ?? "";
    const deadAt = deaths.find((each) => each.id === id && ["outbid", "exited"].includes(each.how))?.at;
    const runners = sim.github.runnersEver().filter(({ name }) => isRunnerOf(name, label));
    // The deadline by its label, or `max-lifetime` after its first runner was online.
    const made = Number(text.split(".").at(-1)) * 1000 - LABEL_SLACK_MS;
    const deadline = Math.min(made, ...runners.map(({ onlineAt }) => (onlineAt ?? NEVER) - CONNECTS_MS + livesMs));
    return {
      ...{ id, label: text, n: Number(text.split(".").at(-2)), deadline: since(deadline) },
      ...{ createdAt: since(createdAt), visibleAt: since(visibleAt) },
      shownAt: since(listedAfter(askedOfService(sim), "listInstances", visibleAt)),
      ...{ deadAt: deadAt ?? NEVER, goneAt: since(destruction(record)?.at ?? NEVER) },
      isTwin: records.find((each) => each.label === label) !== record,
      isLate: !new RegExp(`(?:booting as|made) instance ${id}\\b`).test(stages[0]?.log ?? ""),
      overAt: since(overAt(runners, deadline, livesMs)),
      billed: { cost: costUntil(deadline, record, sim), hourly: record.offer.dph_base },
    };
  });
}

/** What the run's GPU jobs came to, on these machines. */
function jobsIn(seen: Seen, machines: readonly Machine[]): Job[] {
  const { begun, deaths, plan, session } = seen;
  const { run, sim } = session;
  const since = (at: number | null) => (at ?? NEVER) - begun;
  return plan.jobs.map(({ name }, index): Job => {
    const { completedAt, conclusion, createdAt, runner, startedAt, status } = run.job(name);
    const may = oursIn(seen).filter(({ label }) => runner !== null && isRunnerOf(runner.name, label));
    // Two of one create have the same runner: its listener says on which machine it is.
    const folder = sim.github.runnersEver().find(({ id }) => id === runner?.id)?.machine;
    const on = may.find(({ id }) => `${sim.machines?.root(id)}/` === folder) ?? may[0];
    const shownAt = status === "blocked" ? NEVER : listedAfter(askedOfGithub(sim), "listJobs", createdAt);
    const end = since(completedAt);
    const halt = deaths.find(({ at, how, id }) => id === on?.id && HALTS.includes(how) && at < end);
    return {
      ...{ id: index, name, appearedAt: since(shownAt), shownAt: since(shownAt) },
      ...{ startedAt: since(startedAt), overAt: end, conclusion: conclusion ?? undefined, lostAt: halt?.at },
      box: machines.find(({ id }) => id === on?.id),
    };
  });
}

function oursIn({ bystanders, session }: Seen): InstanceRecord[] {
  return session.instances().filter((each) => !bystanders.includes(each));
}

/** Our requests to the service. */
function askedOfService({ service }: Simulator): Asked[] {
  return service.journal.entries.filter(({ caller }) => caller === "account");
}

/** Our requests to GitHub. */
function askedOfGithub({ github }: Simulator): Asked[] {
  const ours = github.journal.entries.filter(({ token }) => token === "runner" || token === "job");
  return ours.map(({ at, fault, method, operation = "", path }) => ({
    ...{ at: Date.parse(at), operation, method, path },
    faults: fault === undefined ? [] : [fault],
  }));
}

/** When a list, as it should be, was next asked for. */
function listedAfter(asked: readonly Asked[], list: string, at: number): number {
  const isWhole = ({ faults, operation }: Asked) => operation === list && faults.length === 0;
  return asked.find((each) => isWhole(each) && each.at >= at)?.at ?? NEVER;
}

function costUntil(deadline: number, record: InstanceRecord, { clock, service }: Simulator): number {
  const { createdAt, id } = record;
  const lastedMs = (destruction(record)?.at ?? clock.now()) - createdAt;
  return Math.min(1, (deadline - createdAt) / Math.max(1, lastedMs)) * (service.books.bill(id)?.total ?? 0);
}

/** A machine without a runner that could begin, after the first had its job or ended without. */
function overAt(ours: readonly Runner[], deadline: number, livesMs: number): number {
  const spent = ours.filter(({ goneAt, isTakenAway }) => goneAt !== null && !isTakenAway);
  if (spent.length === 0) return NEVER;
  const endOf = ({ goneAt }: Runner) => goneAt ?? NEVER;
  const lastEnd = Math.max(...spent.map(endOf));
  // No listener begins with less than half of max-lifetime left.
  if (deadline - lastEnd < livesMs / 2) return lastEnd;
  // Listeners run one after another: one that a reboot burnt stays listed, and never begins.
  const after = (one: Runner) => spent.filter(({ id }) => id > one.id).map(endOf);
  return Math.max(...ours.map((each) => Math.min(endOf(each), ...after(each))));
}
