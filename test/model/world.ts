import { makeLabel } from "../../src/create/label.ts";

/** The model counts seconds from this moment; the code is told milliseconds since the epoch. */
const BEGIN_MS = Date.UTC(2026, 0, 1);

export const REPOSITORY_ID = 880_001;
export const RUN_ID = 4711;
/** The beginning of every label of the use under test, up to and without the dot. */
export const PREFIX = `ghr1.${REPOSITORY_ID}.${RUN_ID}-1.abcdef`;
/** Other run attempts of the same repository: one is open, one was over long ago. */
export const OPEN_RUN = 5000;
export const DONE_RUN = 4000;
/** A create without an answer comes true in so many seconds (src/machine/destroy-use.ts). */
export const LATE_CREATE_S = 40;

export function toMs(seconds: number): number {
  return BEGIN_MS + seconds * 1000;
}

export function toSeconds(milliseconds: number): number {
  return (milliseconds - BEGIN_MS) / 1000;
}

/** A machine's stage. `frozen`: its host bills and does nothing, whatever it did before. */
export type Stage = "booting" | "running" | "online" | "job" | "done" | "frozen";

/** An instance of this use that bills. `deadline`: when its own timer ends it. */
export interface Instance {
  id: number;
  label: string | undefined;
  n: number;
  createdAt: number;
  /** Until then no answer shows it. */
  hiddenUntil: number;
  stage: Stage;
  deadline: number;
  /** It came true later than any create that the protocol waits for. */
  isVeryLate: boolean;
}

/** A create that was sent and gave no answer, and that the service may still carry out. */
export interface LateCreate {
  n: number;
  label: string | undefined;
  deadline: number;
  askedAt: number;
}

/** The notes as the platform keeps them. `reports`: of each create, the moments that decide. */
export interface WrittenDown {
  runners: [n: number, id: number][];
  pending: [n: number, label: string][];
  created: [n: number, id: number | "none"][];
  reports: [n: number, createdAt: number | undefined, goneAt: number | undefined][];
}

/** How main ended. `killed` and `runner-gone` are deaths; after the second there is no post. */
export type MainEnd = "ended" | "failed" | "cancelled" | "killed" | "runner-gone";

/** A sweep's right to take another's instance; `by others`: not by the attempt under test's own. */
export type Swept = "never" | "by all" | "by others" | "by others, once the run is over";

/** The whole world, as plain values. What is gone is not in it. */
export interface World {
  now: number;
  actor: "main" | "post" | "sweep";
  lastId: number;
  instances: Instance[];
  /** Not ours, or of other uses: nobody may touch them, but the sweep those that are leftovers. */
  others: { id: number; label: string | undefined; swept: Swept }[];
  /** How many machines the market has. */
  offers: number;
  late: LateCreate[];
  /** Registered runners, one a create. */
  runners: { n: number; id: number; state: "offline" | "online" | "busy" }[];
  /** Those that ask for a machine; GitHub gives the first that waits to the next runner. */
  jobs: { state: "queued" | "running" | "done"; runner: number | undefined }[];
  /** How many machines may be alive at a time. */
  machines: number;
  written: WrittenDown;
  /** Which offer each create asked for. */
  asked: { n: number; offer: number; at: number; lookedAt: number }[];
  mainEnd: MainEnd | undefined;
  /** When the run attempt was over. */
  runOverAt: number | undefined;
  faults: number;
  /** The only fault that is tried; undefined: any. */
  fault: string | undefined;
  deaths: number;
  /** No answer from the service until then. */
  downUntil: number;
}

/** In the account before: look-alikes whose labels differ by a hair, and one real leftover. */
function others(): World["others"] {
  const past = Math.floor(toMs(-86_400) / 1000);
  const future = Math.floor(toMs(86_400) / 1000);
  const labels: [label: string | undefined, swept?: Swept][] = [
    [undefined],
    ["someone's own machine"],
    [`${PREFIX}g.1.${past}`],
    [makeLabel(`ghr1.${REPOSITORY_ID}.${RUN_ID}-1.abcdeg`, 1, past), "by others"],
    [makeLabel(`ghr1.${REPOSITORY_ID}.${RUN_ID}-1.zzzzzz`, 1, future), "by others, once the run is over"],
    [makeLabel(`ghr1.abcd${REPOSITORY_ID}.${RUN_ID}-1.abcdef`, 1, past)],
    [makeLabel(`ghr1.${REPOSITORY_ID}9.${RUN_ID}-1.abcdef`, 1, past)],
    [makeLabel(`ghr1.${REPOSITORY_ID}.${OPEN_RUN}-1.abcdef`, 1, future)],
    [makeLabel(`ghr1.${REPOSITORY_ID}.${DONE_RUN}-1.abcdef`, 1, future), "by all"],
  ];
  return labels.map(([label, swept = "never"], index) => ({ id: index + 1, label, swept }));
}

/** How many creates, jobs and machines there can be at most. */
export interface Size {
  creates: number;
  jobs: number;
  machines: number;
  /** One of each, where it does not say. */
  faults?: number;
  deaths?: number;
  /** The only fault that is tried. */
  fault?: string | undefined;
}

/** Nothing is rented; jobs wait; one fault and one death are still to come. */
export function startOfTheWorld({ creates, jobs, machines, fault, faults = 1, deaths = 1 }: Size): World {
  return {
    now: 0,
    actor: "main",
    lastId: 700,
    instances: [],
    others: others(),
    offers: creates,
    machines,
    late: [],
    runners: [],
    jobs: Array.from({ length: jobs }, () => ({ state: "queued" as const, runner: undefined })),
    written: { runners: [], pending: [], created: [], reports: [] },
    asked: [],
    mainEnd: undefined,
    runOverAt: undefined,
    faults,
    fault,
    deaths,
    downUntil: Number.NEGATIVE_INFINITY,
  };
}

/** Nothing in it is shared with the other one. */
export function cloneOf(world: World): World {
  const { asked, instances, jobs, late, others, runners, written } = world;
  const copies = <T extends object>(all: readonly T[]) => all.map((each) => ({ ...each }));
  return {
    ...world,
    asked: copies(asked),
    instances: copies(instances),
    jobs: copies(jobs),
    late: copies(late),
    others: copies(others),
    runners: copies(runners),
    written: {
      runners: [...written.runners],
      pending: [...written.pending],
      created: [...written.created],
      reports: [...written.reports],
    },
  };
}

/** The number of the create that a label of this use tells; 0 for a create without one. */
export function numberIn(label: string | undefined): number {
  return Number(label?.slice(PREFIX.length + 1).split(".")[0] ?? 0);
}

/** From its create on a machine's own timer lets it live so long, where no label tells its end. */
export const LIFE_S = 60;
/** From a machine's deadline to its label's expiry (src/money/limits.ts). */
const EXPIRY_MARGIN_S = 900;

/** A machine's own end: set by main in the label, some time before the create came true. */
export function deadlineOf({ now }: World, label: string | undefined): number {
  const expiry = label?.split(".").at(-1);
  return expiry === undefined ? now + LIFE_S : toSeconds(Number(expiry) * 1000) - EXPIRY_MARGIN_S;
}

/** A time as it matters: how long ago, or ahead; beyond any limit of the code it is just old. */
function since(world: World, moment: number, oldest = 60): number {
  return Math.max(-oldest, moment - world.now);
}

/** A world's future depends on this alone. */
export function keyOf(world: World): string {
  const known = new Set(world.written.created.map(([n]) => n));
  const ago = (moment: number | undefined) => (moment === undefined ? null : since(world, moment));
  return JSON.stringify([
    world.actor,
    world.instances.map((i) => [
      i.id,
      i.label !== undefined,
      ago(i.createdAt),
      Math.max(0, i.hiddenUntil - world.now),
      i.stage,
      ago(i.deadline),
      i.isVeryLate,
    ]),
    world.others.map(({ id }) => id),
    world.late.map((late) => [
      late.n,
      late.label !== undefined,
      ago(late.deadline),
      Math.max(-91, late.askedAt - world.now),
    ]),
    world.runners,
    world.jobs,
    world.machines,
    world.written.pending.map(([n]) => n),
    world.written.created,
    world.written.reports.map(([n, created, gone]) => [n, gone === undefined ? ago(created) : null]),
    world.asked.map((asked) => [
      asked.n,
      asked.offer,
      known.has(asked.n) ? null : [ago(asked.at), asked.lookedAt >= asked.at + LATE_CREATE_S],
    ]),
    world.mainEnd,
    ago(world.runOverAt),
    world.faults,
    world.deaths,
    Math.max(0, world.downUntil - world.now),
  ]);
}
