import { destruction, type InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import type { Job, Machine } from "../stories/referee/record.ts";
import { type ChaosWorld, isRunnerOf } from "./open-world.ts";
import type { PlannedRun } from "./simulated.ts";

/** So much later than a machine's deadline its label expires. */
const LABEL_SLACK_MS = 15 * 60_000;
/** A machine counts from the start of its first listener, which is online so much later at most. */
const CONNECTS_MS = 15_000;
const NEVER = Number.POSITIVE_INFINITY;
/** Deaths that end the container, or start it anew: no job is on it any more, whatever GitHub lists. */
const HALTS: readonly string[] = ["outbid", "rebooted", "offline", "back-online", "exited"];

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

/** What is read of a run, beside its books: `mainLog` says which of our instances main knew. */
export interface Read extends Pick<ChaosWorld, "begun" | "session"> {
  plan: Pick<PlannedRun, "inputs" | "jobs">;
  records: readonly InstanceRecord[];
  deaths: readonly Struck[];
  mainLog: string;
}

type Runner = ReturnType<Simulator["github"]["runnersEver"]>[number];

/** What our instances came to. */
export function machinesIn(read: Read): Machine[] {
  const { begun, deaths, mainLog, plan, records, session } = read;
  const { sim } = session;
  const since = (at: number) => at - begun;
  const livesMs = Number.parseInt(plan.inputs["max-lifetime"] ?? "", 10) * 60_000;
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
      isLate: !new RegExp(`(?:booting as|made) instance ${id}\\b`).test(mainLog),
      overAt: since(overAt(runners, deadline, livesMs)),
      billed: { cost: costUntil(deadline, record, sim), hourly: record.offer.dph_base },
    };
  });
}

/** What the run's GPU jobs came to, on these machines. */
export function jobsIn({ begun, deaths, plan, records, session }: Read, machines: readonly Machine[]): Job[] {
  const { run, sim } = session;
  const since = (at: number | null) => (at ?? NEVER) - begun;
  return plan.jobs.map(({ name }, index): Job => {
    const { completedAt, conclusion, createdAt, runner, startedAt, status } = run.job(name);
    const may = records.filter(({ label }) => runner !== null && isRunnerOf(runner.name, label));
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

/** Our requests to the service. */
export function askedOfService({ service }: Simulator): Asked[] {
  return service.journal.entries.filter(({ caller }) => caller === "account");
}

/** Our requests to GitHub. */
export function askedOfGithub({ github }: Simulator): Asked[] {
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
