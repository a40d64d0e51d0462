import type { HitFacts, InstanceFacts, JobFacts, RunFacts } from "../run-facts.ts";
import { endedByItself, errorsIn, money, time, type Violation } from "./violation.ts";

/** A list that is read by then shows a job that GitHub shows. */
const SEEN_AFTER_MS = 40_000;
/** An old or short list of jobs can hide the end of one for so long. */
const HIDDEN_FOR_MS = 120_000;
/** Between what GitHub notes and what is seen of it here. */
const SLACK_MS = 3000;

/** Deaths that end the container, or start it anew. */
const HALTS: ReadonlySet<string> = new Set(["outbid", "rebooted", "offline", "back-online", "exited"]);

/** Each job is served, or what became of it is reported; none loses its machine to us. */
export function checkJobs(facts: RunFacts): Violation[] {
  return [
    ...checkServed(facts),
    ...checkBlame(facts),
    ...facts.instances.flatMap((instance) => checkGivenBack(facts, instance)),
    ...checkPostTells(facts),
    ...checkCalm(facts),
  ];
}

/** A main that holds is green only when every job did well that a list had shown to it. */
function checkServed({ jobs, main, plan }: RunFacts): Violation[] {
  if (!endedByItself(main) || main.exitCode !== 0 || !holds(plan)) return [];
  return jobs
    .filter(({ listedAt }) => listedAt !== undefined && listedAt <= main.endedAt - SEEN_AFTER_MS)
    .filter((job) => !hasDoneWell(job, main.endedAt))
    .map((job) => money(`main is green, and '${job.name}' ${fateOf(job, main.endedAt)}.`));
}

/** A job that is said to have failed or lost its machine has not done well. */
function checkBlame({ hits, jobs, main }: RunFacts): Violation[] {
  if (hits.some((hit) => hidesJobs(hit) && isWithin(hit, main.endedAt - HIDDEN_FOR_MS, main.endedAt))) return [];
  const named = errorsIn(main).filter((line) => /title=[^:]*\((?:GpuJobFailedError|MachineLostError)\)::/.test(line));
  return jobs
    .filter((job) => hasDoneWell(job, main.endedAt) && named.some((line) => line.includes(`'${job.name}'`)))
    .map(({ name }) => money(`main says that '${name}' did not do well, and it did.`));
}

/** No running job loses its machine before the deadline, to main or to the machine's own script. */
function checkGivenBack({ jobs, main, machineDeaths }: RunFacts, instance: InstanceFacts): Violation[] {
  const { deadline, goneAt, goneBy, id } = instance;
  if (goneAt === undefined || goneBy === "owner" || goneAt >= deadline - SLACK_MS) return [];
  // Post and sweep destroy whatever runs there.
  if (goneBy === "account" && goneAt > main.endedAt) return [];
  // Its container has ended: there is no job on it any more, whatever GitHub lists.
  const wasHalted = machineDeaths.some((each) => each.id === id && each.at <= goneAt && HALTS.has(each.how));
  if (wasHalted) return [];
  const who = goneBy === "account" ? "main" : "itself";
  return jobs
    .filter((job) => job.instanceId === id && ranAt(job, goneAt))
    .map(({ name }) => money(`Instance ${id} was destroyed by ${who} while '${name}' ran on it.`));
}

function ranAt({ endedAt = Number.POSITIVE_INFINITY, startedAt = Number.POSITIVE_INFINITY }: JobFacts, at: number) {
  return startedAt < at - SLACK_MS && endedAt > at + SLACK_MS;
}

/** Post fails when it destroyed a machine under a job, unless main was red or cancelled. */
function checkPostTells({ hits, instances, jobs, main, post }: RunFacts): Violation[] {
  if (!post || !endedByItself(post) || !endedByItself(main) || main.exitCode !== 0) return [];
  const isBlind = hits.some((hit) => hit.operation === "listJobs" && isWithin(hit, post.startedAt, post.endedAt));
  if (post.exitCode !== 0 || isBlind) return [];
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

function isCalm({ had, faults: { main }, machineFaults, machineDeaths, mainDeath, inputs, offers }: RunFacts["plan"]) {
  const faults = [...had, ...main.service, ...main.github, ...machineFaults, ...machineDeaths];
  const bad = offers.filter(({ simulate }) => simulate?.instanceKey || simulate?.machine?.onstart === "skip");
  const canPay = Number(inputs["max-cost"] ?? 1) >= 1;
  const isPatient = Number(inputs.attempts) > bad.length && inputs["search-timeout"] !== "0s" && canPay;
  return faults.length === 0 && mainDeath === undefined && isPatient && inputs["boot-timeout"] !== "60s";
}

function holds({ inputs }: RunFacts["plan"]): boolean {
  return inputs.hold !== "false";
}

/** An old or short list of jobs, again and again, is believed. */
function hidesJobs({ kind, operation }: HitFacts): boolean {
  return operation === "listJobs" && (kind === "stale" || kind === "short-list");
}

function isWithin({ at }: HitFacts, from: number, to: number): boolean {
  return at >= from && at <= to;
}

function hasDoneWell({ conclusion, endedAt }: JobFacts, by: number): boolean {
  return conclusion === "success" && endedAt !== undefined && endedAt <= by;
}

function fateOf({ conclusion, endedAt, startedAt }: JobFacts, by: number): string {
  if (endedAt !== undefined && endedAt <= by) return `ended with ${conclusion}`;
  return startedAt === undefined ? "waits for a machine" : "has not ended";
}
