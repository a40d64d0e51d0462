import type { InstanceFacts, JobFacts, RunFacts } from "../run-facts.ts";
import { endedByItself, errorsIn, money, time, type Violation } from "./violation.ts";

/** A list that is read by then shows a job that GitHub shows. */
const SEEN_AFTER_MS = 40_000;
/** Between what GitHub notes and what is seen of it here. */
const SLACK_MS = 3000;

/** Deaths that end the container, or start it anew. */
const HALTS: ReadonlySet<string> = new Set(["outbid", "rebooted", "offline", "back-online"]);

/** Each job is served, or what became of it is told; none loses its machine to us. */
export function checkJobs(facts: RunFacts): Violation[] {
  return [
    ...checkServed(facts),
    ...checkBlame(facts),
    ...facts.instances.flatMap((instance) => checkGivenBack(facts, instance)),
    ...checkPostTells(facts),
    ...checkCalm(facts),
  ];
}

/** A main that holds is green only when every job that it could see did well. */
function checkServed({ jobs, main, plan }: RunFacts): Violation[] {
  if (!endedByItself(main) || main.exitCode !== 0 || !holds(plan) || mayBeMisled(plan)) return [];
  return jobs
    .filter(({ shownAt }) => shownAt !== undefined && shownAt <= main.endedAt - SEEN_AFTER_MS)
    .filter((job) => !hasDoneWell(job, main.endedAt))
    .map((job) => money(`main is green, and '${job.name}' ${fateOf(job, main.endedAt)}.`));
}

/** A job that is said to have failed or lost its machine has not done well. */
function checkBlame({ jobs, main, plan }: RunFacts): Violation[] {
  if (mayBeMisled(plan)) return [];
  const told = errorsIn(main).filter((line) => /title=(?:GpuJobFailedError|MachineLostError)/.test(line));
  return jobs
    .filter((job) => hasDoneWell(job, main.endedAt) && told.some((line) => line.includes(`'${job.name}'`)))
    .map(({ name }) => money(`main says that '${name}' did not do well, and it did.`));
}

/** No running job loses its machine before the deadline, to main or to the machine's own script. */
function checkGivenBack({ jobs, main, machineDeaths, plan }: RunFacts, instance: InstanceFacts): Violation[] {
  const { deadline, goneAt, goneBy, id } = instance;
  if (goneAt === undefined || goneBy === "owner" || goneAt >= deadline - SLACK_MS) return [];
  // Post and sweep destroy whatever runs there.
  if (goneBy === "account" && goneAt > main.endedAt) return [];
  // Its container has ended: there is no job on it any more, whatever GitHub lists.
  const wasHalted = machineDeaths.some((each) => each.id === id && HALTS.has(each.how));
  if (wasHalted || isMisledAboutRunners(plan)) return [];
  const who = goneBy === "account" ? "main" : "itself";
  return jobs
    .filter((job) => job.instanceId === id && ranAt(job, goneAt))
    .map(({ name }) => money(`Instance ${id} was destroyed by ${who} while '${name}' ran on it.`));
}

function ranAt({ endedAt = Number.POSITIVE_INFINITY, startedAt = Number.POSITIVE_INFINITY }: JobFacts, at: number) {
  return startedAt < at - SLACK_MS && endedAt > at + SLACK_MS;
}

/** Post fails when it destroyed a machine under a job, unless main was red or cancelled. */
function checkPostTells({ instances, jobs, main, plan, post }: RunFacts): Violation[] {
  if (!post || !endedByItself(post) || !endedByItself(main) || main.exitCode !== 0) return [];
  if (post.exitCode !== 0 || plan.faults.post.github.length > 0) return [];
  const destroyed = instances.filter(
    ({ goneAt, goneBy }) =>
      goneBy === "account" && goneAt !== undefined && goneAt > main.endedAt && goneAt <= post.endedAt,
  );
  return destroyed.flatMap(({ id, goneAt = 0 }) =>
    jobs
      .filter((job) => job.instanceId === id && ranAt(job, goneAt))
      .map(({ name }) => money(`Post is green, and destroyed instance ${id} under '${name}'.`)),
  );
}

/**
 * Where nothing goes wrong but some machines, each job is served that can do well. Good machines
 * may be late on a slow computer.
 */
function checkCalm({ jobs, main, plan }: RunFacts): Violation[] {
  if (!isCalm(plan) || !holds(plan) || !endedByItself(main)) return [];
  // GitHub counts a job whose machine is gone as running for minutes: it holds the others back.
  const isHeldBack = plan.matrix && plan.jobs.some(({ does }) => does === "endless");
  if (plan.matrix?.failFast || isHeldBack) return [];
  const able = plan.jobs.filter(({ cancelledAfter, does }) => cancelledAfter === undefined && /short|long/.test(does));
  return jobs
    .filter(({ name, shownAt }) => able.some((each) => each.name === name) && shownAt !== undefined)
    .filter((job) => (job.shownAt ?? 0) <= main.endedAt - SEEN_AFTER_MS && !hasDoneWell(job, main.endedAt))
    .map((job) => time(`Nothing went wrong, and '${job.name}' ${fateOf(job, main.endedAt)}.`));
}

function isCalm({ faults: { main }, machineFaults, machineDeaths, mainDeath, inputs, offers }: RunFacts["plan"]) {
  const faults = [...main.service, ...main.github, ...machineFaults, ...machineDeaths];
  const bad = offers.filter(({ simulate }) => simulate?.instanceKey || simulate?.machine?.onstart === "skip");
  const isPatient = Number(inputs.attempts) > bad.length && inputs["search-timeout"] !== "0s";
  return faults.length === 0 && mainDeath === undefined && isPatient && inputs["boot-timeout"] !== "60s";
}

function holds({ inputs }: RunFacts["plan"]): boolean {
  return inputs.hold !== "false";
}

/** An old list of jobs, again and again, is believed. */
function mayBeMisled({ faults }: RunFacts["plan"]): boolean {
  return faults.main.github.some(({ kind, operation }) => kind === "stale" && operation === "listJobs");
}

/** So is an old list of runners. */
function isMisledAboutRunners({ faults }: RunFacts["plan"]): boolean {
  return faults.main.github.some(({ kind }) => kind === "stale");
}

function hasDoneWell({ conclusion, endedAt }: JobFacts, by: number): boolean {
  return conclusion === "success" && endedAt !== undefined && endedAt <= by;
}

function fateOf({ conclusion, endedAt, startedAt }: JobFacts, by: number): string {
  if (endedAt !== undefined && endedAt <= by) return `ended with ${conclusion}`;
  return startedAt === undefined ? "waits for a machine" : "has not ended";
}
