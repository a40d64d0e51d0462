import type { InstanceFacts, RunFacts, StageFacts } from "../run-facts.ts";
import { checkJobs } from "./check-jobs.ts";
import { historyBreaches } from "./history-breaches.ts";
import { errorsIn, hasDied, ids, money, time, type Violation } from "./violation.ts";

/** Above the 4 min 15 s that post has, for the start of its process in scaled time. */
const POST_WITHIN_MS = 290_000;

/** Its last look at the list comes at most so long before its end. */
const POST_LOOKS_BEFORE_MS = 60_000;

/** The rules; none broken: an empty list. */
export function checkRun(facts: RunFacts): Violation[] {
  return [
    ...facts.breaches.map(money),
    ...checkEnds(facts),
    ...checkMain(facts),
    ...(facts.post ? checkPost(facts, facts.post) : []),
    ...facts.overdue.map(({ id }) =>
      money(`Instance ${id} could have ended itself, and is there after the time on its label.`),
    ),
    ...checkSweeps(facts),
    ...checkCrowd(facts),
    ...checkCost(facts),
    ...checkJobs(facts),
    ...historyBreaches(facts),
  ];
}

function checkEnds({ main, post, sweeps }: RunFacts): Violation[] {
  const stages = [main, ...(post ? [post] : []), ...sweeps];
  return stages.flatMap((stage) => {
    if (stage.overran) return [time(`${stage.entry} did not end.`)];
    if (hasDied(stage) || stage.exitCode === 0 || stage.exitCode === 1) return [];
    return [money(`${stage.entry} ended with code ${stage.exitCode}.`)];
  });
}

/** Main's word on the bill must be so, and a red step says why. */
function checkMain({ main, instances }: RunFacts): Violation[] {
  const wasThere = instances.filter(({ createdAt }) => createdAt <= main.endedAt);
  const errors = errorsIn(main).join("\n");
  const found: Violation[] = [];
  if (/Nothing was rented\./.test(errors) && wasThere.length > 0)
    found.push(money(`main says that nothing was rented, and there was ${ids(wasThere)}.`));
  const known = wasThere.filter(({ id, isKnown }) => isKnown && main.alive.includes(id));
  if (/Nothing is rented any more\./.test(errors) && known.length > 0)
    found.push(money(`main says that nothing is rented any more, and there is ${ids(known)}.`));
  return [...found, ...checkMessages(main)];
}

/** Exit code and message agree. */
function checkMessages(stage: StageFacts): Violation[] {
  if (hasDied(stage) || stage.overran) return [];
  // What others did is no fault of post.
  const others = /title=The (main step was cut off|post step is told to stop)::/;
  const errors = errorsIn(stage).filter((line) => !others.test(line));
  const isStopped = stage.log.includes("Stopped by SIG");
  if (stage.exitCode === 0 && errors.length > 0) return [money(`${stage.entry} is green, and says: ${errors[0]}`)];
  if (stage.exitCode === 1 && errors.length === 0 && !isStopped)
    return [money(`${stage.entry} is red, and does not say why.`)];
  return [];
}

function checkPost(facts: RunFacts, post: StageFacts): Violation[] {
  if (hasDied(post) || post.overran) return [];
  const { instances, plan } = facts;
  const found: Violation[] = [...checkMessages(post), ...checkLeft(facts, post)];
  const wasThere = instances.filter(({ createdAt }) => createdAt <= post.endedAt);
  if (post.log.includes("Nothing was rented.") && wasThere.length > 0)
    found.push(money(`post says that nothing was rented, and there was ${ids(wasThere)}.`));
  if (post.endedAt - post.startedAt > POST_WITHIN_MS)
    found.push(time(`post took ${Math.round((post.endedAt - post.startedAt) / 1000)} s.`));
  const gaveUp = gaveUpWith(post);
  if (gaveUp !== undefined && !plan.isHeavy) found.push(time(`Post gave up though it had the time: ${gaveUp}`));
  return found;
}

/** A machine that is left is named, and makes post red. */
function checkLeft({ instances }: RunFacts, post: StageFacts): Violation[] {
  // No answer names the second of one create, and post's last look may come before lists show it: a sweep ends it.
  const isHidden = (each: InstanceFacts) =>
    isSecond(each, instances) && post.endedAt < each.visibleAt + POST_LOOKS_BEFORE_MS;
  const left = instances.filter((each) => post.alive.includes(each.id) && !isHidden(each));
  const gaveUp = gaveUpWith(post);
  if (left.length === 0) return [];
  if (gaveUp === undefined)
    return [money(`After post, which ended with code ${post.exitCode}, there still is ${ids(left)}.`)];
  const unnamed = left.filter(({ id, label }) => !(gaveUp.includes(String(id)) || isCovered(gaveUp, label)));
  return unnamed.length > 0 ? [money(`Post does not name ${ids(unnamed)}: ${gaveUp}`)] : [];
}

function gaveUpWith(post: StageFacts): string | undefined {
  return errorsIn(post).find((line) => line.includes("InstanceNotDestroyedError"));
}

/** Post names a whole prefix where it could not see what there is. */
function isCovered(message: string, label: string): boolean {
  const prefix = /whatever is labelled (\S+)\.…/i.exec(message)?.[1];
  return prefix !== undefined && label.startsWith(`${prefix}.`);
}

function checkSweeps(facts: RunFacts): Violation[] {
  const { sweeps, instances } = facts;
  const last = sweeps.at(-1);
  const broken = sweeps.flatMap(checkMessages);
  const left = instances.filter(({ id }) => last?.alive.includes(id));
  // A sweep that had no answer in time, and names what it leaves, has done what it could.
  const wasTooLate = last !== undefined && left.every(({ id }) => isLeftUncertain(last, id));
  if (left.length > 0) broken.push((wasTooLate ? time : money)(`After the last sweep there still is ${ids(left)}.`));
  for (const sweep of sweeps.filter(({ exitCode }) => exitCode === 0)) {
    const shown = shownTo(sweep, facts);
    const unseen = sweep.alive.filter((id) => shown.has(id) && !sweep.log.includes(String(id)));
    if (unseen.length > 0)
      broken.push(money(`A green sweep does not name instance ${unseen.join(", ")}, which is left.`));
  }
  return broken;
}

/** Ids of instances that every list had from its beginning on, however old that list was, and whole. */
function shownTo({ endedAt, startedAt }: StageFacts, { hits, instances, plan: { faults } }: RunFacts): Set<number> {
  const met = new Set(hits.filter(({ at }) => at >= startedAt && at <= endedAt).map(({ kind }) => kind));
  const lists = faults.sweep.service.filter(({ kind }) => met.has(kind));
  if (lists.some((fault) => fault.kind === "short-list" && fault.total === "shown")) return new Set();
  const ages = lists.map((fault) => (fault.kind === "stale-list" ? fault.seconds * 1000 : 0));
  const since = startedAt - Math.max(0, ...ages);
  return new Set(instances.filter(({ visibleAt }) => visibleAt <= since).map(({ id }) => id));
}

/** Never more of main's machines that a job could still come to than `machines` allows. */
function checkCrowd({ instances, plan }: RunFacts): Violation[] {
  const most = Number(plan.inputs.machines ?? 1);
  const known = ofOwnCreates(instances);
  return known.flatMap((one, index) => {
    const others = known.slice(0, index).filter(({ goneAt, overAt }) => isAfter(one.createdAt, goneAt, overAt));
    if (others.length < most) return [];
    return [money(`Instance ${one.id} was created while ${ids(others)} lived, and machines is ${most}.`)];
  });
}

/** What main knew of is paid by `max-cost`, but for the last minute of each and a little of reckoning. */
function checkCost({ instances, plan }: RunFacts): Violation[] {
  const most = Number(plan.inputs["max-cost"] ?? Number.POSITIVE_INFINITY);
  const known = ofOwnCreates(instances);
  const sum = known.reduce((all, { cost }) => all + cost, 0);
  const slack = known.reduce((all, { hourly }) => all + hourly / 60, 0.02 * most);
  if (sum <= most + slack) return [];
  return [money(`All machines cost ${sum.toFixed(4)} USD, and max-cost is ${most}.`)];
}

/** Those that main knew of, without the second of two that came of one create. */
function ofOwnCreates(instances: readonly InstanceFacts[]): InstanceFacts[] {
  return instances.filter((each) => each.isKnown && !isSecond(each, instances));
}

function isSecond(one: InstanceFacts, instances: readonly InstanceFacts[]): boolean {
  return instances.find(({ label }) => label === one.label) !== one;
}

/** The earlier of both ends comes later than that, or never. */
function isAfter(at: number, ...ends: (number | undefined)[]): boolean {
  return ends.every((end) => end === undefined || end > at);
}

function isLeftUncertain({ log }: StageFacts, id: number): boolean {
  const line = log.split("\n").find((each) => each.startsWith(`Instance ${id} is left: `));
  return line?.includes("could not be asked") ?? false;
}
