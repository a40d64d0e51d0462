import type { Fault as GithubFault } from "../../simulator/github/faults.ts";
import { OPERATIONS as SERVICE_OPERATIONS, type Fault as ServiceFault } from "../../simulator/scenario/fault.ts";
import type { Simulate } from "../../simulator/scenario/simulate.ts";
import { GITHUB_SAYS, PAGE, type Said, SERVICE_SAYS } from "../stories/answers.ts";
import { type Fault, isOfLists, type Where } from "../stories/fault.ts";
import type { HostStory, JobStory, Pause, Story } from "../stories/story.ts";
import type { Plan, Quirk, Rough } from "./plan.ts";

/** Which of the three entries of dist. */
export type Entry = "main" | "post" | "sweep";

/** A fault of either place, as the simulator plays it. */
export type Played = ServiceFault | GithubFault;

/** The end of an entry's process at its n-th request. `cancel`: as by the platform when someone cancels the run. */
export interface Death {
  how: "cancel" | "SIGINT" | "SIGTERM" | "SIGKILL";
  request: number;
  /** Or so long after the first GPU job began. */
  afterStartS?: number | undefined;
}

/** The fate of the newest machine of an offer, and so many seconds after which event. */
export interface MachineDeath {
  how: "frozen" | "rebooted" | "offline" | "back-online" | "outbid" | "removed" | "exited";
  once: "created" | "online" | "job" | "after a job";
  seconds: number;
  offer: number;
}

/** A plan, as the simulator plays it. */
export type PlannedRun = ReturnType<typeof planOf>;

const DEAR = { gpu_name: "A100 PCIE", dph_base: 3.5 };
/** So that it needs no process. */
const NEVER_UP: Simulate = { statuses: [{ after: 0, actual_status: "loading" }] };
/** How many of the offers are for machines that are not ours, and the first of ours. */
const BYSTANDERS = 4;
const FIRST_OFFER = 11;
/** Real machines take processor time. */
const MOST = { offers: 9, jobs: 6, machines: 4, jobsPerMachine: 2 };
/** Real processes take real time: what lasts minutes in a story lasts so long here at most, in seconds. */
const MOST_S = { appears: 60, cancelled: 120, pause: 180, lag: 40, fate: 90, list: 16 };
/** A machine that boots longer than this is late here, too; the others are five times as fast. */
const TARDY_S = 170;

/** The run that the simulator plays of a story: shorter, and without what only the virtual world can play. */
export function planOf({ rough, story: drawn }: Plan, index: number) {
  const story = { ...drawn, machines: Math.min(drawn.machines, MOST.machines) };
  const { dialect, machineFaults, quirks, without } = rough;
  const { had, otherRunners } = story;
  const main = [...story.faults.flatMap((fault) => faultsOf(fault)), ...ofHosts(story)];
  /** What lasts is met by post and sweep, too. */
  const lasting = story.faults.filter(({ times }) => times > 1).flatMap((fault) => faultsOf({ ...fault, fromS: 0 }));
  return {
    ...{ index, had, dialect, otherRunners, without },
    jobs: jobsOf(story),
    /** They are of one matrix, so many at a time. */
    matrix: story.maxParallel < MOST.jobs ? { maxParallel: story.maxParallel, failFast: false } : undefined,
    offers: offersOf(story, quirks),
    /** Offers on whose machines GitHub gives no job to a runner, and when it gives none to anybody. */
    deaf: hostsOf(story).flatMap(({ isDeaf, stuckS }, nth) => (isDeaf || stuckS > 0 ? [FIRST_OFFER + nth] : [])),
    pauses: pausesOf(story),
    inputs: inputsOf(story),
    faults: { main, post: lasting, sweep: lasting } satisfies Record<Entry, readonly Played[]>,
    machineFaults: machineFaults.flatMap((fault) => faultsOf({ ...fault, fromS: 0 }, "instance")),
    mainDeath: deathOf(story, rough),
    postDeath: story.death?.postRequest ? { how: "SIGKILL" as const, request: story.death.postRequest } : undefined,
    /** False: the hosted runner is gone with main. */
    hasPost: story.death?.hasPost ?? true,
    machineDeaths: fatesOf(story),
  };
}

// ---- what the inputs say

function inputsOf(story: Story): Record<string, string> {
  const { attempts, hedge, hold, idleS, jobs, keepFailedS, machines, maxCost, mayWait, readyS } = story;
  return {
    ...{ order: "price", hold: String(hold), machines: String(machines), hedge: String(hedge && machines > 1) },
    "jobs-per-machine": String(Math.min(story.jobsPerMachine, MOST.jobsPerMachine)),
    "machines-per-repository": String(story.machinesPerRepository),
    "boot-timeout": mayWait ? "auto" : "60s",
    "online-timeout": "60s",
    "ready-timeout": readyS < 900 ? "90s" : "4m",
    "max-lifetime": story.lifetimeS < 1800 ? "1m" : "2m",
    "idle-timeout": idleS > 120 ? "60s" : "30s",
    "wait-for-job": `${Math.min(story.waitForJobS, 40)}s`,
    "search-timeout": `${Math.min(story.searchS, 60)}s`,
    attempts: String(attempts),
    ...(jobs !== "auto" && { jobs: String(jobs) }),
    // An hour's in a story, minutes' here.
    ...(maxCost !== undefined && { "max-cost": String(maxCost / 4) }),
    ...(keepFailedS > 0 && { "keep-failed": "30s" }),
  };
}

// ---- the jobs

/** What a job runs, by what it does. */
export const LINES = {
  short: ["nvidia-smi", "echo 12 passed"],
  long: ["sleep 25", "echo 12 passed"],
  endless: ["while true; do sleep 5; done"],
  failing: ["echo no", "exit 3"],
};

/** One GPU job of the run; seconds are simulated ones since the start of the world. */
export type PlannedJob = ReturnType<typeof jobOf>;

/** One more than there may be machines, so that one waits. */
function jobsOf({ jobsOfRun, machines }: Story): PlannedJob[] {
  const asked = jobsOfRun.filter(({ asksForMore }) => !asksForMore);
  return asked.slice(0, Math.min(MOST.jobs, machines + 1)).map(jobOf);
}

function jobOf({ appearsS, cancelledS, conclusion, heldS, lastsS }: JobStory, index: number) {
  const lasting = lastsS > 800 ? "endless" : lastsS > 300 ? "long" : "short";
  const does: keyof typeof LINES = conclusion === "failure" ? "failing" : lasting;
  return {
    ...{ name: `test (${index + 1})`, does },
    /** GitHub shows it only then, when a job before it is over; 0: at once. */
    shownAfter: Math.min(appearsS + heldS, MOST_S.appears),
    /** Someone cancels it alone. */
    cancelledAfter: cancelledS && Math.min(cancelledS, MOST_S.cancelled),
  };
}

function pausesOf({ isExcluded, pauses }: Story): Pause[] {
  if (isExcluded) return [{ fromS: 0, lastsS: 86_400, isSinceStart: false }];
  return pauses.map(({ lastsS, ...pause }) => ({ ...pause, lastsS: Math.min(lastsS, MOST_S.pause) }));
}

// ---- what stands behind the offers

/** Other people's offers, and those of the story, its hosts in turns. */
function offersOf(story: Story, quirks: readonly Quirk[]) {
  const bystanders = Array.from({ length: BYSTANDERS }, (_, nth) => ({ id: nth + 1, ...DEAR, simulate: NEVER_UP }));
  const ours = hostsOf(story).map((host, nth) => {
    const { machine, ...simulate } = machineOf(host);
    const { machine: odd, ...oddly } = QUIRKS[quirks[nth] ?? "none"];
    const whole: Simulate = { ...simulate, ...oddly, machine: { ...machine, ...odd } };
    return { id: FIRST_OFFER + nth, dph_base: host.price + nth / 100, simulate: whole };
  });
  return [...bystanders, ...ours];
}

function hostsOf({ hosts, offers }: Story): HostStory[] {
  const count = Math.min(offers, MOST.offers);
  return Array.from({ length: count }, (_, nth) => hosts[nth % hosts.length]).filter((host) => host !== undefined);
}

function machineOf({ bootS, fate, onlineS }: HostStory): Simulate {
  if (fate === "never boots") return NEVER_UP;
  const after = bootS > TARDY_S ? bootS : 2 + Math.round(bootS / 5);
  const booting = [
    { after: 0, actual_status: null },
    { after: 1, actual_status: "loading" },
  ];
  const failing = (status_msg: string) => ({ statuses: [...booting, { after, actual_status: "loading", status_msg }] });
  if (fate === "bad image") return failing("Error response from daemon: manifest unknown");
  if (fate === "broken") return failing("OCI runtime create failed");
  const statuses = [...booting, { after, actual_status: "running" }];
  if (fate === "gives itself back") return { statuses, machine: { gpus: 0 } };
  if (fate === "never online") return { statuses, machine: { onstart: "skip" } };
  return { statuses, machine: { listenerDelaySeconds: Math.round(onlineS / 5) } };
}

const QUIRKS: Record<Quirk, Simulate> = {
  none: {},
  "late runner": { machine: { listenerDelaySeconds: 80 } },
  "clock ahead": { machine: { clockOffsetSeconds: 86_400 } },
  "clock behind": { machine: { clockOffsetSeconds: -100 } },
  "no key": { instanceKey: "missing" },
  "wrong key": { instanceKey: "wrong" },
  taken: { unavailable: true },
};

const ENDS: Partial<Record<HostStory["fate"], MachineDeath["how"]>> = {
  vanishes: "removed",
  exits: "exited",
  outbid: "outbid",
  stopped: "outbid",
  silent: "back-online",
  "cut off": "offline",
  "runner away": "rebooted",
};

/** What becomes of the first machines of the story's hosts. */
function fatesOf({ hosts }: Story): MachineDeath[] {
  return hosts.flatMap((host, nth): MachineDeath[] => {
    const how = ENDS[host.fate];
    const offer = FIRST_OFFER + nth;
    return [
      ...(how === undefined ? [] : [{ how, offer, ...momentOf(host) }]),
      ...(host.isFrozen ? [{ how: "frozen", once: "online", seconds: 5, offer } as const] : []),
    ];
  });
}

/** Most die under a job, where the story doesn't say after which. */
function momentOf({ fateS, followsS }: HostStory): Pick<MachineDeath, "once" | "seconds"> {
  if (followsS !== undefined) return { once: "after a job", seconds: followsS };
  if (fateS % 3 > 0) return { once: "job", seconds: fateS % 4 };
  return { once: "created", seconds: Math.min(fateS, MOST_S.fate) };
}

// ---- what goes wrong

/** What takes long, is shown late, or lingers. */
function ofHosts(story: Story): Played[] {
  const { jobsTakeS, lingersS, otherJobs } = story;
  const ofCreates = hostsOf(story).flatMap(({ createS, listedS }, nth): Played[] => {
    const create = { operation: "createInstance", caller: "account", offer: FIRST_OFFER + nth } as const;
    const isListedLate = listedS > 0;
    return [
      ...(createS > 1 ? [{ ...create, kind: "delay", seconds: createS } as const] : []),
      ...(isListedLate ? [{ ...create, kind: "visibility-lag", seconds: Math.min(listedS, MOST_S.lag) } as const] : []),
    ];
  });
  const seconds = Math.min(jobsTakeS * (otherJobs > 0 ? 3 : 1), MOST_S.list);
  const isStuck = story.hosts.some(({ stuckS }) => stuckS > 0);
  const times = Math.ceil(lingersS / 15) + (isStuck ? 5 : 0);
  const slow: Played[] = [{ operation: "listJobs", kind: "delay", seconds, when: "after" }];
  const inVain: Played[] = [{ operation: "removeRunner", kind: "status", status: 422, times }];
  return [...ofCreates, ...(seconds > 0 ? slow : []), ...(times > 0 ? inVain : [])];
}

/** The operations of each place, before those of a whole token or of the service. */
export const OPERATIONS: Readonly<Record<Where, readonly Played["operation"][]>> = {
  list: ["listInstances"],
  get: ["getInstance"],
  create: ["createInstance"],
  destroy: ["destroyInstance"],
  search: ["searchOffers"],
  service: ["listInstances", "getInstance", "createInstance", "destroyInstance", "searchOffers"],
  register: ["generateJitConfig"],
  runners: ["listRunners", "getRunner"],
  remove: ["removeRunner"],
  jobs: ["listJobs"],
  cancel: ["cancelRun"],
  "github-token": ["generateJitConfig", "listRunners", "getRunner", "removeRunner"],
  "job-token": ["listJobs", "cancelRun"],
};

/** A list is asked for so often, and everything else so seldom, in seconds: a fault's time becomes a number of requests. */
const LIST_EVERY_S = 15;
const ELSE_EVERY_S = 120;
const MOST_TIMES = 40;

type Saying = Partial<Record<Fault["what"], (fault: Fault) => object>>;

/** What comes where no answer does. */
const NO_ANSWER = [
  { kind: "truncate", bytes: 20 },
  { kind: "drip", seconds: 40 },
  { kind: "never-answer" },
  { kind: "status", status: 500 },
  { kind: "text", text: "\u0000::error::foreign", status: 200 },
];

/** What happens to a request of the service beside an answer that says no. */
const BY_SERVICE: Saying = {
  lost: ({ detail }) => NO_ANSWER[detail % (NO_ANSWER.length + 1)] ?? { kind: "refuse" },
  "lost after": () => ({ kind: "lose-answer" }),
  hangs: () => ({ kind: "never-answer", when: "after" }),
  taken: () => ({ kind: "offer-gone" }),
  "no credit": () => ({ kind: "no-credit" }),
  twin: ({ detail }) => ({ kind: "twin", seconds: detail - 30 }),
  "comes late": ({ detail }) => ({ kind: "late-create", seconds: 1 + (detail % 35) }),
  "no id": () => ({ kind: "status", status: 200, body: { success: true }, when: "after" }),
  "refused, and an id": () => ({ kind: "error-with-contract" }),
  old: ({ detail }) => ({ kind: "stale-list", seconds: detail }),
};
const BY_GITHUB: Saying = {
  lost: ({ detail }) => NO_ANSWER[detail % (NO_ANSWER.length + 1)] ?? { kind: "reset" },
  "lost after": () => ({ kind: "lose-answer" }),
  old: ({ detail }) => ({ kind: "stale", seconds: detail }),
};

/** What the simulator does to each operation for a fault of the story, as far as it can. */
function faultsOf(fault: Fault, caller: "account" | "instance" = "account"): Played[] {
  return OPERATIONS[fault.where].flatMap((operation) => {
    const isService = operation in SERVICE_OPERATIONS;
    const meant = isService ? { operation, caller } : { operation };
    const [by, says] = isService ? [BY_SERVICE, SERVICE_SAYS] : [BY_GITHUB, GITHUB_SAYS];
    const isList = operation.startsWith("list");
    if (!isList && isOfLists(fault.what)) return [];
    const played = by[fault.what]?.(fault) ?? saidBy(says[fault.what]) ?? shortList(fault);
    return played === undefined ? [] : [{ ...meant, ...timesOf(fault, isList), ...played } as Played];
  });
}

function saidBy(said: Said | undefined) {
  if (said === undefined) return undefined;
  const { headers, json, status } = said;
  if (json === undefined) return { kind: "text", text: PAGE, status };
  return { kind: "status", status, body: json, ...(headers && { headers }) };
}

function shortList({ detail, what }: Fault) {
  const isEmpty = what.startsWith("empty");
  if (!isEmpty && !what.startsWith("partial")) return undefined;
  return { kind: "short-list", lacks: isEmpty ? "all" : detail, total: what.endsWith("honest") ? "all" : "shown" };
}

function timesOf({ fromS, lastsS, times }: Fault, isList: boolean): { nth: number; times: number } {
  const everyS = isList ? LIST_EVERY_S : ELSE_EVERY_S;
  const within = Math.ceil(lastsS / everyS);
  return { nth: 1 + Math.min(MOST_TIMES, Math.floor(fromS / everyS)), times: Math.min(times, within, MOST_TIMES) };
}

/** True for what the service is asked; all else GitHub is. */
export function isOfService(fault: Played): fault is ServiceFault {
  return fault.operation in SERVICE_OPERATIONS;
}

// ---- the end of main

function deathOf({ death }: Story, { signal }: Rough): Death | undefined {
  if (death === undefined) return undefined;
  const how = ({ cancelled: signal, "run cancelled": "cancel", killed: "SIGKILL" } as const)[death.kind];
  return { how, request: death.request, afterStartS: death.afterStartS };
}
