import type { Simulate } from "../../simulator/scenario/simulate.ts";
import type { HostStory, JobStory, Story } from "../stories/story.ts";
import { faultsOf } from "./faults-of.ts";
import type { Death, Faults, MachineDeath, PlannedJob, PlannedRun } from "./planned-run.ts";
import type { Quirk, Rough } from "./rough.ts";

/** A run: a story, and what only real processes can meet. */
export interface Plan {
  story: Story;
  rough: Rough;
}

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
export function planOf({ rough, story }: Plan, seed: number, index: number): PlannedRun {
  const jobs = jobsOf(story);
  const { dialect, imageGb, machineFaults, outage, without } = rough;
  const main = both(faultsOf(story.faults), ofHosts(story), ofGithub(story), rough.faults.main);
  const post = outage === null ? rough.faults.post : both({ service: [outage], github: [] }, rough.faults.post);
  const { otherRunners } = story;
  const matrix = story.maxParallel < MOST.jobs ? { maxParallel: story.maxParallel, failFast: false } : undefined;
  const mainDeath = deathOf(story, rough);
  return {
    ...{ seed, index, had: story.had, dialect, jobs, machineFaults, without },
    offers: offersOf(story, rough.quirks),
    rivals: story.hosts.flatMap((_, nth) => (rough.quirks[nth] === "rival" ? [FIRST_OFFER + nth] : [])),
    deaf: ofOffers(story, ({ isDeaf, stuckS }) => isDeaf || stuckS > 0),
    pauses: pausesOf(story),
    inputs: inputsOf(story, rough),
    faults: { main, post, sweep: rough.faults.sweep },
    ...(mainDeath && { mainDeath }),
    post: postOf(story, rough),
    machineDeaths: [...fatesOf(story), ...rough.machineDeaths],
    isHeavy: outage !== null,
    ...(matrix && { matrix }),
    ...(imageGb !== null && { imageGb }),
    ...(otherRunners > 0 && { otherRunners }),
  };
}

function both(...all: Faults[]): Faults {
  return { service: all.flatMap(({ service }) => service), github: all.flatMap(({ github }) => github) };
}

// ---- what the inputs say

function inputsOf(story: Story, { ifNoMachine, order }: Rough): Record<string, string> {
  const { attempts, hedge, hold, idleS, jobs, keepFailedS, maxCost, mayWait, readyS } = story;
  const machines = Math.min(story.machines, MOST.machines);
  return {
    ...{ order, hold: String(hold), machines: String(machines), hedge: String(hedge && machines > 1) },
    "jobs-per-machine": String(Math.min(story.jobsPerMachine, MOST.jobsPerMachine)),
    "machines-per-repository": String(story.machinesPerRepository),
    "boot-timeout": mayWait ? "auto" : "60s",
    "online-timeout": "60s",
    "ready-timeout": readyS < 900 ? "90s" : "4m",
    "max-lifetime": story.lifetimeS < 1800 ? "1m" : "2m",
    "idle-timeout": idleS > 120 ? "60s" : "30s",
    "wait-for-job": `${Math.min(story.waitForJobS, 40)}s`,
    "search-timeout": `${Math.min(story.searchS, 60)}s`,
    "if-no-machine": ifNoMachine,
    attempts: String(attempts),
    ...(jobs !== "auto" && { jobs: String(jobs) }),
    // An hour's in a story, minutes' here.
    ...(maxCost !== undefined && { "max-cost": String(maxCost / 4) }),
    ...(keepFailedS > 0 && { "keep-failed": "30s" }),
  };
}

// ---- the jobs

/** One more than there may be machines, so that one waits. */
function jobsOf({ jobsOfRun, machines }: Story): PlannedJob[] {
  const asked = jobsOfRun.filter(({ asksForMore }) => !asksForMore);
  return asked.slice(0, Math.min(MOST.jobs, machines + 1)).map(jobOf);
}

function jobOf({ appearsS, cancelledS, conclusion, heldS, lastsS }: JobStory, index: number): PlannedJob {
  const shownAfter = Math.min(appearsS + heldS, MOST_S.appears);
  const does = conclusion === "failure" ? "failing" : lastsS > 800 ? "endless" : lastsS > 300 ? "long" : "short";
  return {
    ...{ name: `test (${index + 1})`, does },
    ...(shownAfter > 0 && { shownAfter }),
    ...(cancelledS !== undefined && { cancelledAfter: Math.min(cancelledS, MOST_S.cancelled) }),
  };
}

function pausesOf({ isExcluded, pauses }: Story): PlannedRun["pauses"] {
  if (isExcluded) return [{ fromS: 0, lastsS: 86_400, isSinceStart: false }];
  return pauses.map(({ lastsS, ...pause }) => ({ ...pause, lastsS: Math.min(lastsS, MOST_S.pause) }));
}

// ---- what stands behind the offers

/** Other people's offers, and those of the story, its hosts in turns. */
function offersOf(story: Story, quirks: readonly Quirk[]): PlannedRun["offers"] {
  const bystanders = Array.from({ length: BYSTANDERS }, (_, nth) => ({ id: nth + 1, ...DEAR, simulate: NEVER_UP }));
  const ours = hostsOf(story).map((host, nth) => ({
    ...{ id: FIRST_OFFER + nth, dph_base: host.price + nth / 100 },
    simulate: withQuirk(machineOf(host), quirks[nth]),
  }));
  return [...bystanders, ...ours];
}

function hostsOf({ hosts, offers }: Story): HostStory[] {
  const count = Math.min(offers, MOST.offers);
  return Array.from({ length: count }, (_, nth) => hosts[nth % hosts.length]).filter((host) => host !== undefined);
}

function ofOffers(story: Story, isMeant: (host: HostStory) => boolean): number[] {
  return hostsOf(story).flatMap((host, nth) => (isMeant(host) ? [FIRST_OFFER + nth] : []));
}

function machineOf({ bootS, fate, onlineS }: HostStory): Simulate {
  const running = bootS > TARDY_S ? bootS : 2 + Math.round(bootS / 5);
  const machine = { listenerDelaySeconds: Math.round(onlineS / 5) };
  const statuses = (...steps: NonNullable<Simulate["statuses"]>) => [
    { after: 0, actual_status: null },
    { after: 1, actual_status: "loading" },
    ...steps,
  ];
  const failing = (status_msg: string) => ({
    statuses: statuses({ after: running, actual_status: "loading", status_msg }),
  });
  if (fate === "never boots") return NEVER_UP;
  if (fate === "bad image") return failing("Error response from daemon: manifest unknown");
  if (fate === "broken") return failing("OCI runtime create failed");
  const up = statuses({ after: running, actual_status: "running" });
  if (fate === "gives itself back") return { statuses: up, machine: { gpus: 0 } };
  return { statuses: up, machine: fate === "never online" ? { onstart: "skip" } : machine };
}

function withQuirk(simulate: Simulate, quirk: Quirk = "none"): Simulate {
  const { machine } = simulate;
  switch (quirk) {
    case "late runner":
      return { ...simulate, machine: { ...machine, listenerDelaySeconds: 80 } };
    case "clock ahead":
      return { ...simulate, machine: { ...machine, clockOffsetSeconds: 86_400 } };
    case "clock behind":
      return { ...simulate, machine: { ...machine, clockOffsetSeconds: -100 } };
    case "no key":
      return { ...simulate, instanceKey: "missing" };
    case "wrong key":
      return { ...simulate, instanceKey: "wrong" };
    case "taken":
      return { ...simulate, unavailable: true };
    case "none":
    case "rival":
      return simulate;
  }
}

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
  return hosts.flatMap(({ fate, fateS, followsS, isFrozen }, nth): MachineDeath[] => {
    const how = ENDS[fate];
    const offer = FIRST_OFFER + nth;
    const once = followsS === undefined ? "created" : "after a job";
    const seconds = followsS ?? Math.min(fateS, MOST_S.fate);
    return [
      ...(how === undefined ? [] : [{ how, once, seconds, offer } as const]),
      ...(isFrozen ? [{ how: "frozen", once: "online", seconds: 5, offer } as const] : []),
    ];
  });
}

/** Creates that take long, and machines that lists show late. */
function ofHosts(story: Story): Faults {
  const service = hostsOf(story).flatMap(({ createS, listedS }, nth) => {
    const create = { operation: "createInstance", caller: "account", offer: FIRST_OFFER + nth } as const;
    return [
      ...(createS > 1 ? [{ ...create, kind: "delay", seconds: createS } as const] : []),
      ...(listedS > 0 ? [{ ...create, kind: "visibility-lag", seconds: Math.min(listedS, MOST_S.lag) } as const] : []),
    ];
  });
  return { service, github: [] };
}

/** Lists of jobs that take long, and runners whose job is over, or none was. */
function ofGithub({ hosts, jobsTakeS, lingersS, otherJobs }: Story): Faults {
  const seconds = Math.min(jobsTakeS * (otherJobs > 0 ? 3 : 1), MOST_S.list);
  const isStuck = hosts.some(({ stuckS }) => stuckS > 0);
  const times = Math.ceil(lingersS / 15) + (isStuck ? 5 : 0);
  const github: Faults["github"] = [];
  if (seconds > 0) github.push({ operation: "listJobs", kind: "delay", seconds, when: "after" });
  if (times > 0) github.push({ operation: "removeRunner", kind: "status", status: 422, times });
  return { service: [], github };
}

// ---- the ends of main and post

function deathOf({ death }: Story, { moment, signal }: Rough): Death | undefined {
  if (death === undefined) return undefined;
  const how = ({ cancelled: signal, "run cancelled": "cancel", killed: "SIGKILL" } as const)[death.kind];
  const { afterStartS } = death;
  return { how, moment: afterStartS === undefined ? moment : { at: "job", seconds: afterStartS } };
}

function postOf({ death }: Story, { ofPost, outage }: Rough): PlannedRun["post"] {
  if (death === undefined) return "runs";
  if (!death.hasPost && outage === null) return "never";
  return death.postRequest === undefined ? "runs" : { how: "SIGKILL", moment: ofPost };
}
