import { type GpuJob, isBad, waitsForUs } from "../github/jobs.ts";
import { type RunnerState, WITH_JOB } from "../github/runners.ts";
import { TURNS_UP_WITHIN_MS } from "../machine/create.ts";
import type { InstanceVerdict } from "../machine/instance.ts";
import { createdAt, grownTraffic, isDearer } from "../machine/record.ts";
import { VISIBLE_AFTER_MS } from "../release/destroy.ts";
import { pauseMs } from "../shared/backoff.ts";
import type { Command, Decision } from "./decide.ts";
import type { FleetEvent } from "./events.ts";
import { runningJobs } from "./jobs.ts";
import { isConfirmed, LATE } from "./lifecycle/late.ts";
import { hasJob, machineFacts, machineOf, middle } from "./stage.ts";
import type { CreateOutcome, FleetState, ListedInstance, RunnerSlot, StoredInstance, StoredMachine } from "./state.ts";

/** When to ask again after GitHub refused to remove a runner: at the latest when a list would show its job. */
const DRAINS_AGAIN = { firstMs: LATE.lookAgain, by: 2, mostMs: LATE.listed };

type EventOf<Kind extends FleetEvent["kind"]> = Extract<FleetEvent, { kind: Kind }>;

/** What writes each of these into the state, by its kind. */
type Writers<Told extends { kind: string }> = {
  [Kind in Told["kind"]]: (state: FleetState, told: Extract<Told, { kind: Kind }>, at: number) => void;
};

const REDUCERS: Writers<FleetEvent> = {
  InstancesListed: noteInstances,
  RunnersListed: noteRunners,
  RunnersUnreadable: (state, { askedAt }) => {
    state.runnersUnreadSince ??= askedAt;
  },
  JobsListed: noteJobs,
  JobsUnreadable: (state, { at, why }) => {
    state.jobsFault ??= { since: at, why };
  },
  OffersFound: noteOffers,
  RunnersRegistered: (state, { at, machineNo, runners }) =>
    mark(machineOf(state, machineNo), {
      registeredAt: at,
      slots: runners.map(({ id, name }) => ({ runnerId: id, runnerName: name })),
    }),
  CreateAnswered: noteAnswer,
  RunnerRemoved: noteRemoved,
  DestroyAnswered: noteDestroyed,
  LogsFetched: noteLog,
  FiguresRead: (state, { at, figures, id, machineNo, setup }) => {
    const slot = slotOfJob(state, machineNo, id);
    if (slot?.log !== undefined) slot.log = { at, figures, setup };
  },
  ImageLookedUp: (state, { askedAt, missing }) => {
    const since = state.image?.missing?.since ?? askedAt;
    state.image = {
      isAsking: false,
      at: askedAt,
      missing: missing === undefined ? undefined : { since, word: missing },
    };
  },
  Decided: (state, { at, decision }) => noteDecided(state, decision, at),
};

/** Writes an event into the state. Nothing else writes it. */
export function reduce(state: FleetState, event: FleetEvent): void {
  if (!Object.hasOwn(REDUCERS, event.kind)) throw new TypeError("no event");
  write(REDUCERS, state, event, event.at);
}

function write<Told extends { kind: string }>(writers: Writers<Told>, state: FleetState, told: Told, at: number): void {
  const writer = writers[told.kind as Told["kind"]] as (state: FleetState, told: Told, at: number) => void;
  writer(state, told, at);
}

function slotOfJob(state: FleetState, machineNo: number, jobId: number): RunnerSlot | undefined {
  return machineOf(state, machineNo)?.slots.find(({ job }) => job?.id === jobId);
}

function findInstance(state: FleetState, id: number): StoredInstance | undefined {
  return state.machines.flatMap(({ instances }) => instances).find((each) => each.id === id);
}

// ---- the service's list

function noteInstances(
  state: FleetState,
  { aheadMs, askedAt, at, gone, instances, repositoryAlive }: EventOf<"InstancesListed">,
): void {
  for (const listed of instances) {
    adopt(state, listed, at);
    const instance = findInstance(state, listed.id);
    if (instance !== undefined) noteListed(state, instance, listed, { askedAt, at });
  }
  state.instancesAt = at;
  state.aheadMs = aheadMs;
  for (const machine of state.machines) {
    noteMissed(machine, askedAt);
    for (const instance of machine.instances) if (gone.includes(instance.id)) noteAbsent(instance, at);
  }
  const fresh = state.machines
    .flatMap((machine) => machineFacts(machine).alive)
    .filter(({ absentSince, verdict }) => !absentSince && !verdict);
  state.repositoryAlive = repositoryAlive + fresh.length;
}

/** Notes that a list lacks what the create may have made. Without an answer that counts only once it is not too early. */
function noteMissed({ answer, instances }: StoredMachine, askedAt: number): void {
  if (answer === undefined || instances.length > 0) return;
  if (askedAt - answer.at >= (answer.kind === "refused" ? 0 : TURNS_UP_WITHIN_MS)) answer.isMissed = true;
}

/** Adds an instance under a label of ours that no create's answer named. It bills, and may have a job. */
function adopt(state: FleetState, { id, machineNo, startedAt }: ListedInstance, at: number): void {
  const machine = machineOf(state, machineNo);
  // The create's own answer will bring the id.
  if (machine?.answer === undefined || findInstance(state, id) !== undefined) return;
  if (machineFacts(machine).isInFlight) machine.answer = { ...machine.answer, ...whatItMade(machine.answer) };
  const { askedAt } = machine;
  const isLikely = startedAt !== undefined && startedAt >= askedAt && startedAt <= at;
  machine.instances.push({ id, createdAt: isLikely ? startedAt : askedAt, foundAt: at });
}

/** Returns what became of a create whose answer named no instance, and that a list shows. One that was too fast is welcome. */
function whatItMade(answer: CreateOutcome): CreateOutcome {
  const isUnwanted = answer.kind === "refused" && answer.refusal.code !== "too-fast";
  return isUnwanted ? { kind: "unwanted", sentence: answer.refusal.sentence } : { kind: "created" };
}

type LookTimes = Pick<EventOf<"InstancesListed">, "askedAt" | "at">;

function noteListed(state: FleetState, instance: StoredInstance, listed: ListedInstance, look: LookTimes): void {
  const { askedAt, at } = look;
  if (instance.goneAt !== undefined) {
    if (at - instance.goneAt < LATE.list) return;
    // The service contradicts itself. What is listed bills.
    Object.assign(instance, { goneAt: undefined, goneHow: undefined, isDestroying: undefined, isAsking: undefined });
  }
  const { address, isSilent, older, verdict } = listed;
  const brokenSince = brokenFrom(instance, listed, at);
  if (verdict.kind === "failed") noteUnseen(instance, at);
  Object.assign(instance, { address, isSilent, older, verdict, brokenSince, absentSince: undefined, aliveAt: at });
  noteStopped(instance, verdict, look);
  if (verdict.kind === "running") {
    // For the bill, it began midway between two looks.
    instance.billedFrom ??= middle(instance, state.instancesAt ?? at, at);
    instance.runningAt ??= at;
    // While it is being destroyed, a list may show it as it was before it was stopped.
    if (!instance.isDestroying) instance.lastRunningAt = askedAt;
  }
  noteFigures(instance, listed, machineOf(state, listed.machineNo)?.askedAt ?? at);
}

/** Notes for the bill that the container may have run since it was last seen, if that is long ago and it has ended by now. */
function noteUnseen(instance: StoredInstance, endedBy: number): void {
  const seenAt = instance.aliveAt ?? instance.createdAt;
  if (endedBy - seenAt > LATE.list) instance.billedFrom ??= seenAt;
}

/** Returns since when the instance is broken, if it is. While its host was silent, it may have worked on. */
function brokenFrom(before: StoredInstance, { isSilent, verdict }: ListedInstance, at: number): number | undefined {
  const isNew = before.brokenSince === undefined || (before.isSilent === true && !isSilent);
  return verdict.kind !== "failed" ? undefined : isNew ? at : before.brokenSince;
}

/** Notes the service's word that it stopped the instance. Only a list that is surely newer takes it back. */
function noteStopped(instance: StoredInstance, verdict: InstanceVerdict, { askedAt, at }: LookTimes): void {
  const how = verdict.kind === "failed" ? stoppedHow(verdict) : undefined;
  if (how !== undefined) instance.stopped = { how, at };
  const isBack = verdict.kind === "running" && askedAt - (instance.stopped?.at ?? askedAt) > LATE.list;
  if (isBack && !instance.isDestroying) instance.stopped = undefined;
}

function stoppedHow({ outbid, stopped }: Extract<InstanceVerdict, { kind: "failed" }>) {
  if (outbid) return "was outbid" as const;
  return stopped ? ("was stopped by the service" as const) : undefined;
}

/** Notes that the service knows no such instance. A fresh one may be missing from every answer. */
function noteAbsent(instance: StoredInstance, at: number): void {
  if (instance.goneAt !== undefined) return;
  if (instance.verdict === undefined && at - instance.foundAt <= VISIBLE_AFTER_MS) return;
  instance.absentSince ??= at;
}

/** Notes a sign of life that GitHub shows. It counts only if the service still knew the instance then. */
function noteAlive({ instances }: StoredMachine, at: number): void {
  for (const instance of instances)
    if (at <= (instance.absentSince ?? at)) instance.aliveAt = Math.max(instance.aliveAt ?? at, at);
}

/** Notes what the service shows of the bill: a higher price, an earlier creation, more traffic. */
function noteFigures(instance: StoredInstance, listed: ListedInstance, askedAt: number): void {
  const { startedAt, usdPerHour = 0 } = listed;
  if (isDearer(usdPerHour, instance.usdPerHour ?? 0)) instance.usdPerHour = usdPerHour;
  instance.createdAt = createdAt(instance.createdAt, startedAt, askedAt);
  instance.traffic = grownTraffic(instance.traffic, listed.traffic) ?? instance.traffic;
}

// ---- GitHub's list of runners

function noteRunners(state: FleetState, { at, runners }: EventOf<"RunnersListed">): void {
  state.runnersAt = at;
  if (at - (state.runnersUnreadSince ?? at) >= LATE.github) state.runnersReadSince = at;
  state.runnersUnreadSince = undefined;
  for (const machine of state.machines.filter((each) => machineFacts(each).isAlive)) {
    for (const slot of machine.slots) noteRunner(machine, slot, runners[slot.runnerId], at);
    noteBurnt(machine, at);
  }
}

function noteRunner(machine: StoredMachine, slot: RunnerSlot, runner: RunnerState | undefined, at: number): void {
  if (runner === undefined || slot.spentAt !== undefined) return;
  // Once the list shows it as busy, too, the list alone says when that is over.
  if (runner === "busy") slot.isRefused = undefined;
  const isFreed = slot.runner === "busy" && runner === "online" && !slot.isRefused;
  if (isFreed) Object.assign(machine, { refusedDrains: undefined, drainAgainAt: undefined });
  slot.runner = slot.isRefused ? WITH_JOB[runner] : runner;
  noteMissing(slot, at);
  // A runner that is online runs in a container that runs, however the service's state lags.
  if (runner === "online" || runner === "busy") {
    noteOnline(machine, slot, at, at);
    noteAlive(machine, at - LATE.github);
  }
  noteClocksOf(slot, at);
}

function noteClocksOf(slot: RunnerSlot, at: number): void {
  const { onlineAt, runner } = slot;
  const isTaken = runner === "busy" || runner === "cut-off";
  if (onlineAt === undefined && runner === "offline") slot.notYetAt = at;
  slot.busySince = isTaken ? (slot.busySince ?? at) : undefined;
  // One that went, or whose host did, is stuck all the same.
  if (runner === "online") slot.isStuck = undefined;
  if (isTaken) slot.wasBusy = true;
  // A runner that GitHub dropped was away until then.
  if (runner !== "gone") noteAway(slot, at);
}

/** Notes whether a runner that was online is not connected now. */
function noteAway(slot: RunnerSlot, at: number): void {
  const isAway = (slot.runner === "offline" || slot.runner === "cut-off") && slot.onlineAt !== undefined;
  slot.offlineSince = isAway ? (slot.offlineSince ?? at) : undefined;
}

/**
 * Notes a runner that GitHub no longer lists. A single-use runner goes when its job ends, or unused
 * after a day. One look may be wrong, and a job that runs is ended by the jobs list.
 */
function noteMissing(slot: RunnerSlot, at: number): void {
  slot.goneSince = slot.runner === "gone" ? (slot.goneSince ?? at) : undefined;
  slot.missingSince = slot.runner === "gone" && slot.job?.isOver !== false ? (slot.missingSince ?? at) : undefined;
  if (slot.missingSince !== undefined && isConfirmed(slot.missingSince, at)) slot.spentAt = at;
}

/**
 * Ends the slots before the last one that was online, because a machine starts its listeners one
 * after another. A listener that ended without a job leaves its registration behind.
 */
function noteBurnt({ slots }: StoredMachine, at: number): void {
  const last = slots.findLastIndex(({ onlineAt }) => onlineAt !== undefined);
  for (const slot of slots.slice(0, Math.max(0, last))) if (!hasJob(slot)) slot.spentAt ??= at;
}

/** Notes that the runner is online. `ranFrom`: when the bill began, if nobody saw the container running. */
function noteOnline(machine: StoredMachine, slot: RunnerSlot, at: number, ranFrom: number): void {
  slot.onlineAt ??= at;
  machine.readyAt ??= at;
  const instance = machine.instances.find(({ goneAt }) => goneAt === undefined) ?? machine.instances[0];
  if (instance === undefined) return;
  instance.runningAt ??= at;
  instance.billedFrom ??= Math.max(instance.createdAt, Math.min(ranFrom, at));
}

// ---- GitHub's list of jobs

function noteJobs(state: FleetState, { askedAt, at, jobs }: EventOf<"JobsListed">): void {
  const before = new Map(state.jobs?.ours.map((job) => [job.id, job.state]));
  Object.assign(state, { jobsAt: at, jobsTookMs: at - askedAt });
  state.jobsFault = undefined;
  state.jobs = jobs;
  for (const machine of state.machines) noteJobsOf(machine, jobs.ours, { askedAt, at });
  const begun = jobs.ours.filter((job) => job.state === "running" && before.get(job.id) !== "running");
  const ended = jobs.ours.filter((job) => job.state === "over" && before.get(job.id) !== "over");
  // A job that began and ended between two looks did begin.
  const ranHere = ({ id }: GpuJob) => state.machines.some(({ slots }) => slots.some(({ job }) => job?.id === id));
  const unseen = ended.filter((job) => before.get(job.id) !== "running");
  if (begun.length > 0 || unseen.some(ranHere)) state.lastBeginAt = at;
  if (ended.length > 0) state.lastEndAt = at;
  if (ended.some(({ runnerName }) => runnerName !== undefined)) state.lastFreedAt = at;
  const waiting = jobs.ours.filter(waitsForUs);
  noteBeside(state, begun.length + ended.length > 0, at);
  for (const machine of state.machines)
    machine.besideSince = waiting.length > 0 && machineFacts(machine).isReady ? (machine.besideSince ?? at) : undefined;
  noteSilence(state, waiting.length > 0, at);
  state.waitingSince = Object.fromEntries(waiting.map(({ id }) => [id, state.waitingSince?.[id] ?? at]));
  noteQuiet(state, at);
}

function noteJobsOf(machine: StoredMachine, ours: readonly GpuJob[], { askedAt, at }: LookTimes): void {
  for (const slot of machine.slots) {
    const job = ours.find(({ runnerId, runnerName }) => runnerId === slot.runnerId || runnerName === slot.runnerName);
    if (job === undefined || job.state === "waiting") noteTakenBack(slot, ours, at);
    else noteJobOf(machine, slot, job, at);
    noteStuck(slot, ours, askedAt);
  }
  // A runner that is stuck has no job, and another one of its machine may have.
  noteBurnt(machine, at);
}

/**
 * Notes a busy runner of which no list shows a job: for long, or, as soon as a second list says so, where each job
 * of ours that runs has another runner. Two runners may both have acquired one job.
 */
function noteStuck(slot: RunnerSlot, ours: readonly GpuJob[], askedAt: number): void {
  const { busySince, job } = slot;
  if (busySince === undefined || job?.isOver === false) return;
  const running = ours.filter(({ state }) => state === "running");
  const isElsewhere = running.length > 0 && running.every(({ runnerName }) => runnerName !== undefined);
  if (askedAt - busySince >= LATE.listed || (isElsewhere && isConfirmed(busySince, askedAt)))
    Object.assign(slot, { isStuck: true, wasStuck: true });
}

/** Notes since when GitHub gives our ready machines no job that waits. That goes on when one of them goes, and while none is ready. */
function noteSilence(state: FleetState, isWaited: boolean, at: number): void {
  const isBeside = state.machines.some(({ besideSince }) => besideSince !== undefined);
  const isOver = !isWaited || state.lastBeginAt === at;
  state.silentSince = (isOver ? undefined : state.silentSince) ?? (isBeside ? at : undefined);
}

/** Notes what runs beside jobs that GitHub gave to none of our machines. */
function noteBeside(state: FleetState, isNews: boolean, at: number): void {
  const { beside } = state;
  if (beside === undefined) return;
  const ours = state.jobs?.ours ?? [];
  const isOver = runningJobs(state) > beside.limit || !ours.some(waitsForUs);
  if (isOver) state.beside = undefined;
  else if (isNews) state.beside = { ...beside, since: at, times: 0 };
}

function noteJobOf(machine: StoredMachine, slot: RunnerSlot, job: GpuJob, at: number): void {
  const { completedAt, conclusion, id, name, startedAt, state, url } = job;
  const isOver = state === "over";
  if (slot.job?.id !== id) {
    // That the runner was away before says nothing of this job.
    slot.offlineSince = undefined;
    // A runner that a job runs by is not over, whatever answer said so: a refused token can get a 404, too.
    if (!isOver) Object.assign(slot, { spentAt: undefined, isRemoved: undefined, isStuck: undefined });
  }
  slot.isRefused = undefined;
  machine.refusedDrains = undefined;
  slot.job = { id, name, url, isOver, isBad: isBad(job), conclusion, startedAt, completedAt };
  if (isOver) {
    slot.spentAt = Math.min(slot.spentAt ?? at, completedAt ?? at);
    noteAlive(machine, Math.min(slot.offlineSince ?? slot.spentAt, slot.spentAt));
  }
  noteOnline(machine, slot, at, startedAt ?? at);
}

/** Frees a slot whose job GitHub gave to another runner, or queued again. */
function noteTakenBack(slot: RunnerSlot, ours: readonly GpuJob[], at: number): void {
  const job = ours.find(({ id }) => id === slot.job?.id);
  if (job === undefined || slot.job?.isOver !== false) return;
  const isElsewhere =
    job.runnerName !== undefined && job.runnerId !== slot.runnerId && job.runnerName !== slot.runnerName;
  if (job.state !== "waiting" && !isElsewhere) return;
  slot.job = undefined;
  slot.busySince = at;
}

function noteQuiet(state: FleetState, at: number): void {
  const { mistyped = [], ours = [], othersOpen = [] } = state.jobs ?? {};
  // Such a job runs, or waits for a runner that it can have.
  const isOpen = (job: GpuJob) => job.state === "running" || waitsForUs(job);
  const isActive = ours.some((job) => isOpen(job) && !state.lost.some(({ id }) => id === job.id));
  const isHeld = !isActive && ours.some((job) => job.state === "held");
  state.noOtherJobSince = isActive || othersOpen.length > 0 ? undefined : (state.noOtherJobSince ?? at);
  state.heldSince = isHeld ? (state.heldSince ?? at) : undefined;
  state.mistypedSince = isActive || isHeld || mistyped.length === 0 ? undefined : (state.mistypedSince ?? at);
}

// ---- answers to what was asked for

function noteOffers(state: FleetState, { askedAt, candidates, isBid, nothing }: EventOf<"OffersFound">): void {
  const before = state.market?.isBid === isBid ? state.market : { times: 0, refusals: 0 };
  const times = nothing === undefined ? 0 : before.times + 1;
  const isRefused = nothing?.kind === "fault" && !nothing.fault.isPassing;
  const refusals = isRefused ? before.refusals + 1 : 0;
  state.isSearching = false;
  const isHopeless = nothing?.kind === "none-fits" && nothing.explanation.isHopeless === true;
  state.hopelessSince = isHopeless ? (state.hopelessSince ?? askedAt) : undefined;
  state.market = { searchedAt: askedAt, isBid, candidates, nothing, times, refusals };
}

function noteAnswer(state: FleetState, event: EventOf<"CreateAnswered">): void {
  const { at, instanceId, jitter, machineNo, outcome, sentAt } = event;
  const machine = machineOf(state, machineNo);
  if (machine === undefined) return;
  machine.askedAt = sentAt ?? machine.askedAt;
  // Ending this machine would end the other one, and its job.
  const isAnothers = instanceId !== undefined && findInstance(state, instanceId) !== undefined;
  machine.answer = isAnothers ? { kind: "mistaken", instanceId, at, jitter } : { ...outcome, at, jitter };
  if (instanceId === undefined || isAnothers) return;
  machine.instances.push({ id: instanceId, createdAt: at, foundAt: at });
  state.repositoryAlive += 1;
}

function noteRemoved(state: FleetState, { at, kept, machineNo, removed }: EventOf<"RunnerRemoved">): void {
  const machine = machineOf(state, machineNo);
  if (machine === undefined) return;
  machine.isDraining = undefined;
  for (const slot of machine.slots)
    if (removed.includes(slot.runnerId)) Object.assign(slot, { spentAt: slot.spentAt ?? at, isRemoved: true });
  const slot = machine.slots.find(({ runnerId }) => runnerId === kept?.id);
  if (kept?.answer === "unknown") {
    machine.askAgainAt = at + LATE.lookAgain;
    machine.unconfirmedDrains = (machine.unconfirmedDrains ?? 0) + 1;
  } else if (slot !== undefined) {
    // A job came to it, though the lists may show that late. They alone say when it came online.
    Object.assign(slot, { runner: "busy", busySince: slot.busySince ?? at, isRefused: true });
    machine.refusedDrains = (machine.refusedDrains ?? 0) + 1;
    machine.drainAgainAt = at + pauseMs(DRAINS_AGAIN, machine.refusedDrains);
  }
}

function noteDestroyed(state: FleetState, { at, fault, how, id, machineNo }: EventOf<"DestroyAnswered">): void {
  const machine = machineOf(state, machineNo);
  const instance = findInstance(state, id);
  if (machine === undefined || instance === undefined) return;
  // A surplus instance may have to stay by now: then lists that show it count again.
  const isToGo = how === undefined && machine.ending !== undefined;
  Object.assign(instance, { isAsking: undefined, isDestroying: isToGo || undefined, fault });
  if (how === undefined) {
    machine.askAgainAt = at + LATE.lookAgain;
    return;
  }
  noteUnseen(instance, how === "was-gone" ? (instance.absentSince ?? at) : at);
  Object.assign(instance, { goneAt: at, goneHow: how });
}

/** Notes what a log said. A reason once given holds, whatever a later look shows of the log. */
function noteLog(state: FleetState, { at, connectError, isFault, machineNo, words }: EventOf<"LogsFetched">): void {
  const machine = machineOf(state, machineNo);
  if (machine === undefined) return;
  // An ended machine's log may be gone, which says nothing of other logs.
  if (machine.isReadingLog) state.logFaults = isFault ? (state.logFaults ?? 0) + 1 : 0;
  Object.assign(machine, { isReadingLog: undefined, logAt: at, words: words ?? machine.words });
  machine.connectError = connectError ?? machine.connectError;
}

// ---- decisions

function noteDecided(state: FleetState, decision: Decision, at: number): void {
  for (const { ending, machineNo } of decision.endings) {
    const machine = machineOf(state, machineNo);
    if (machine !== undefined) machine.ending = ending;
    if (ending.id === "held-beside") noteHeldBeside(state, machine, at);
  }
  for (const machineNo of decision.takenBack) noteTakenBackEnd(machineOf(state, machineNo));
  noteLost(state, decision);
  noteClocks(state, decision, at);
  for (const command of decision.commands) write(BEGUN, state, command, at);
}

/** Notes that a machine was given up beside jobs that run. Those that were ready at one time met one silence. */
function noteHeldBeside(state: FleetState, machine: StoredMachine | undefined, at: number): void {
  const { since = 0, times = 0 } = state.beside ?? {};
  const isSameSilence = times > 0 && machine !== undefined && machineFacts(machine).idleSince <= since;
  state.beside = { since: at, limit: runningJobs(state), times: isSameSilence ? times : times + 1 };
}

function noteTakenBackEnd(machine: StoredMachine | undefined): void {
  mark(machine, { ending: undefined });
  for (const slot of machine?.slots ?? []) if (slot.job?.isOver === false) slot.spentAt = undefined;
}

function noteLost(state: FleetState, { lost }: Decision): void {
  state.lost = lost;
  for (const { id, machineNo } of lost) {
    const machine = machineOf(state, machineNo);
    for (const slot of machine?.slots ?? []) if (slot.job?.id === id) slot.spentAt ??= machine?.ending?.since;
  }
}

function noteClocks(state: FleetState, decision: Decision, at: number): void {
  state.findings = decision.findings;
  state.unservedSince = decision.unservedSince;
  if (decision.areBidsOfNoUse) state.bidsFailedAt ??= at;
  state.noOfferSince = decision.noOfferSince;
  // While jobs are unreadable, all free machines count as wanted.
  if (state.jobsFault !== undefined) return;
  state.mostWanted = Math.max(state.mostWanted, decision.wanted);
  if (decision.wanted > 0) state.firstWantedAt ??= at;
}

/** What is under way once a command was given. */
const BEGUN: Writers<Command> = {
  search: (state) => mark(state, { isSearching: true }),
  create: (state, { order }, at) => {
    const { candidate, cutBy, deadline, machineNo, searchedAt, terms, timing } = order;
    const times = { searchedAt, askedAt: at, deadline };
    state.machines.push({ machineNo, candidate, timing, terms, cutBy, ...times, slots: [], instances: [] });
  },
  drain: (state, { machineNo }) => mark(machineOf(state, machineNo), { isDraining: true }),
  destroy: (state, { id }) => mark(findInstance(state, id), { isDestroying: true, isAsking: true }),
  "read-machine-log": (state, { machineNo }) => mark(machineOf(state, machineNo), { isReadingLog: true }),
  "read-job-log": (state, { jobId, machineNo }) => mark(slotOfJob(state, machineNo, jobId), { log: {} }),
  "look-up-image": (state) => mark(state, { image: { ...state.image, isAsking: true } }),
};

function mark<T extends object>(thing: T | undefined, fields: Partial<T>): void {
  if (thing !== undefined) Object.assign(thing, fields);
}
