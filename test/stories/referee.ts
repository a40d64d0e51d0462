import type { End } from "../../src/fleet/decide/end.ts";
import { takenOffers } from "../../src/fleet/decide/market.ts";
import type { FleetOptions } from "../../src/fleet/options.ts";
import type { Plan } from "../../src/fleet/plan/plan.ts";
import { isAlive, isBusy, isCounted, isFree, isLate, isReady } from "../../src/fleet/stage.ts";
import type { Machine } from "../../src/fleet/state/machine.ts";
import { hasNextUse } from "../../src/fleet/state/stage.ts";
import type { Fleet } from "../../src/fleet/state.ts";
import { isIn } from "./lists.ts";
import type { Fate } from "./story.ts";
import type { JobInWorld, World } from "./world.ts";

/** A machine without need bills so long at most, beside the lag of lists. */
const UNNEEDED_MS = 90_000;
/** The market is asked again every two minutes at the longest. */
const STARVES_MS = 200_000;
/** To destroy a machine, and to be asked again after the service gave no answer. */
const GIVEN_BACK_MS = 130_000;
const EXPECTED_BOOT_MS = 100_000;
const MOST_CREATES = 150;

const AWAY: ReadonlySet<Fate> = new Set(["runner away", "cut off"]);

/** Sees what is true and what is done about it, and says what must not be. */
export class Referee {
  readonly broken: string[] = [];
  readonly #world: World;
  readonly #fleet: Fleet;
  readonly #policy: FleetOptions;
  /** Since when something holds, by its name. */
  readonly #since = new Map<string, number>();
  /** Known when a machine was asked for, and when one was last given up as unneeded. */
  readonly #askedWith = new Map<number, string>();
  #gaveUpWith: string | undefined;
  readonly #bound: number;

  constructor(world: World, fleet: Fleet, policy: FleetOptions) {
    this.#world = world;
    this.#fleet = fleet;
    this.#policy = policy;
    this.#bound = boundOf(world, policy);
  }

  /** After a plan was applied. */
  look(decided: Plan): void {
    this.#checkTurns(decided);
    this.#checkCount();
    this.#checkDeadlines();
    this.#checkNeed();
    this.#checkHunger(decided);
    if (this.#world.now > this.#bound) this.#say(`no end after ${this.#bound / 1000} s`);
    if (decided.end !== undefined) this.#ended(decided.end);
  }

  /** A machine is about to be taken away. */
  destroys(n: number, machine: Readonly<Machine>): void {
    const { now, boxes } = this.#world;
    const box = boxes.find((each) => each.n === n && each.id === machine.instanceId);
    if (box === undefined || now >= box.deadline || now >= Math.min(box.deadAt, box.goneAt)) return;
    const job = this.#world.running().find((each) => each.box === box);
    if (job !== undefined)
      this.#say(`'${job.name}' runs, and loses its machine ${n} (${machine.ending?.kind}: ${machine.ending?.why})`);
  }

  /** The verdict must be true. */
  #ended(end: End): void {
    if (end.kind === "over") this.#checkOver(end);
    if (end.kind === "ready" && !this.#fleet.machines.some((machine) => isReady(machine) || isBusy(machine)))
      this.#say("nothing is ready");
    if (end.kind === "none-came" && this.#visibleJobs().length > 0 && this.#policy.hold)
      this.#say("none came, and some did");
    if (end.kind === "unseen") this.#checkUnseen();
    // Without hold nobody looks at the jobs.
    if (end.kind === "stopped" && this.#policy.hold) this.#checkStopped(end);
  }

  #say(what: string): void {
    this.broken.push(`after ${this.#world.now / 1000} s: ${what}`);
  }

  /** Jobs that each list must show by now. */
  #visibleJobs() {
    const at = this.#world.now - this.#world.story.jobsLagS * 1000 - 30_000;
    return this.#world.jobs.filter(({ appearedAt }) => appearedAt <= at);
  }

  #checkOver(end: Extract<End, { kind: "over" }>): void {
    const bad = new Set([...end.bad, ...end.refused, ...end.lost].map(({ id }) => id));
    for (const job of this.#visibleJobs()) {
      const fate = fateOf(job);
      if (fate === "open") this.#say(`it ends as over, and '${job.name}' is not`);
      if (fate === "bad" && !bad.has(job.id)) this.#say(`it ends well, and '${job.name}' did not`);
      if (fate === "good" && bad.has(job.id)) this.#say(`it fails with '${job.name}', which did well`);
    }
  }

  /** Unless GitHub can't see that runner. */
  #checkUnseen(): void {
    const { isExcluded, hosts } = this.#world.story;
    if (this.#world.running().length > 0) this.#say("it ends as unseen, and a job runs");
    const isExcused = hosts.some(({ fate }) => AWAY.has(fate));
    if (!isExcluded && !isExcused) this.#say("it ends as unseen, and GitHub gives our runners jobs");
  }

  #checkStopped({ stop }: Extract<End, { kind: "stopped" }>): void {
    if (this.#world.running().some(({ box }) => box !== undefined && !box.isStray))
      this.#say(`renting has stopped (${stop.kind}), and a job runs`);
  }

  /** A start is not given up again while nothing has changed, nor the other way round. */
  #checkTurns({ acts, endings }: Plan): void {
    for (const { n, ending } of endings) {
      if (ending.kind !== "unneeded") continue;
      if (this.#askedWith.get(n) === this.#known(n))
        this.#say(`machine ${n} was started, and given up for no reason: ${this.#known(n)}`);
      this.#gaveUpWith = this.#known(n);
    }
    if (!acts.some((act) => act.do === "create")) return;
    const n = this.#fleet.creates + 1;
    if (this.#gaveUpWith === this.#known(n))
      this.#say(`one was given up, and machine ${n} is started for no reason: ${this.#known(n)}`);
    this.#askedWith.set(n, this.#known(n));
    if (n > MOST_CREATES) this.#say("creates without an end");
  }

  /** All that can be a reason to start a machine or to give one up, but for that machine. */
  #known(but: number): string {
    const { jobs, jobsFault, heldBack, machines } = this.#fleet;
    const { now } = this.#world;
    return JSON.stringify([
      jobs?.ours.map(({ id, state }) => [id, state]),
      jobs?.othersOpen.length,
      jobsFault !== undefined,
      heldBack,
      machines
        .filter((machine) => machine.n !== but && machine.ending?.kind !== "unneeded")
        .map((machine) => [
          machine.n,
          machine.ending?.kind,
          isReady(machine),
          isBusy(machine),
          isLate(machine, now),
          isAlive(machine),
        ]),
    ]);
  }

  #checkCount(): void {
    const counted = this.#fleet.machines.filter(isCounted);
    if (counted.length > this.#mostAlive()) this.#say(`${counted.length} machines are alive`);
    if (counted.filter(({ act }) => act === "asking").length > 1) this.#say("two creates are in flight");
    const { now, boxes } = this.#world;
    const over = new Set(this.#fleet.machines.filter((machine) => !isCounted(machine)).map(({ n }) => n));
    const real = boxes.filter(({ n, goneAt, isStray }) => goneAt > now && !isStray && !over.has(n));
    if (real.length > this.#mostAlive()) this.#say(`${real.length} instances are alive`);
  }

  /** A machine whose deadline is over bills no longer, whatever its own script does. */
  #checkDeadlines(): void {
    const { now, boxes } = this.#world;
    const isBlind = isIn(this.#world, "service");
    for (const { n, deadline, goneAt, isStray } of boxes) {
      const isLate = !isBlind && !isStray && goneAt > now && now >= deadline;
      if (this.#lasts(`deadline ${n}`, isLate) > GIVEN_BACK_MS) this.#say(`machine ${n} bills after its deadline`);
    }
  }

  #mostAlive(): number {
    const strays = this.#world.boxes.filter(({ isStray }) => isStray).length;
    return this.#policy.machines + strays;
  }

  /** Needed by no job, while the lists can be read. */
  #checkNeed(): void {
    const { machines } = this.#fleet;
    const free = machines.filter(
      (machine) => isFree(machine, this.#policy, this.#world.now) && machine.instanceId !== undefined,
    );
    // One that had a job in between is idle anew.
    for (const machine of machines) if (!free.includes(machine)) this.#lasts(`idle ${machine.n}`, false);
    const unneeded = this.#unneeded(free);
    const isBlind =
      isIn(this.#world, "github") ||
      isIn(this.#world, "service") ||
      isIn(this.#world, "no jobs shown") ||
      isIn(this.#world, "no instances shown");
    for (const machine of machines) {
      const isWrong = !isBlind && unneeded.includes(machine);
      const slackMs = this.#world.story.jobsLagS * 1000 + 5000;
      if (this.#lasts(`unneeded ${machine.n}`, isWrong) > UNNEEDED_MS + slackMs)
        this.#say(`nobody needs machine ${machine.n}, and it is kept`);
    }
  }

  #unneeded(free: readonly Machine[]): readonly Machine[] {
    const { hold, hedge, idleMs, jobs, attempt, waitForJobMs } = this.#policy;
    if (!hold) return [];
    const n = this.#world.queued().filter(({ story }) => !story.asksForMore).length;
    const came = this.#world.jobs.filter(({ queuedAt }) => queuedAt <= this.#world.now).length;
    const isExpected = (jobs !== "auto" && came < jobs && attempt === 1) || (came === 0 && waitForJobMs === 0);
    if (n === 0)
      return isExpected ? free.filter((machine) => this.#lasts(`idle ${machine.n}`, isReady(machine)) > idleMs) : free;
    for (const machine of free) this.#lasts(`idle ${machine.n}`, false);
    const ready = free.filter(isReady);
    if (hedge && ready.length >= n) return free.filter((machine) => !isReady(machine));
    return !hedge && free.length > n ? free.filter((machine) => !isReady(machine)).slice(-1) : [];
  }

  /** A waiting job that GitHub would give to a machine has one on its way while there are some. */
  #checkHunger({ stop, waitsFor }: Plan): void {
    const { machines, pause } = this.#fleet;
    const [job] = this.#left();
    const room = machines.filter(isCounted).length < this.#policy.machines;
    const mayRent = this.#policy.hold && room && !stop && !waitsFor && !pause && this.#isMarketOpen();
    const isHungry = job !== undefined && mayRent && !this.#wasBlind();
    // One that is busy may be worth waiting for.
    const busy = machines.filter((machine) => hasNextUse(machine, this.#policy, this.#world.now));
    if (this.#lasts("hungry", isHungry) > STARVES_MS + busy.length * EXPECTED_BOOT_MS)
      this.#say(`'${job?.name}' waits, and no machine is asked for`);
  }

  /** Jobs that wait, that GitHub would give to a machine, and that have none on its way. */
  #left(): JobInWorld[] {
    const { story, now } = this.#world;
    const isServed = (machine: Machine) => isFree(machine, this.#policy, now) || machine.act === "asking";
    if (story.isExcluded || this.#world.inProgress() >= story.maxParallel || this.#fleet.machines.some(isServed))
      return [];
    return this.#world.queued().filter((job) => !job.story.asksForMore);
  }

  /** A list could not be read until a minute ago. */
  #wasBlind(): boolean {
    const { now, story } = this.#world;
    const isNear = (from: number, lasts: number) => now >= from * 1000 && now <= (from + lasts) * 1000 + 60_000;
    return this.#fleet.jobsFault !== undefined || story.gaps.some(({ fromS, lastsS }) => isNear(fromS, lastsS));
  }

  #isMarketOpen(): boolean {
    const { excluded, machines } = this.#fleet;
    const taken = takenOffers(this.#fleet, this.#world.now);
    const used = machines.filter(isAlive).map(({ candidate }) => candidate.offer.id);
    const { emptyUntilS, offers } = this.#world.story;
    if (this.#world.now < emptyUntilS * 1000) return false;
    return Array.from({ length: offers }, (_, index) => index + 1).some(
      (id) => ![...taken, ...excluded.offers, ...used].includes(id),
    );
  }

  /** For how long something has held by now, in milliseconds. */
  #lasts(name: string, holds: boolean): number {
    if (!holds) this.#since.delete(name);
    else if (!this.#since.has(name)) this.#since.set(name, this.#world.now);
    return this.#world.now - (this.#since.get(name) ?? this.#world.now);
  }
}

function fateOf({ conclusion, isLost, story }: JobInWorld): "open" | "good" | "bad" {
  if (isLost || story.asksForMore) return "bad";
  if (conclusion === undefined) return "open";
  return conclusion === "success" ? "good" : "bad";
}

/** The latest end of every story, in ms: each job may wait, run and be lost, each on a machine. */
function boundOf({ story }: World, { waitForJobMs, readyMs, searchMs, idleMs, lifetimeMs }: FleetOptions): number {
  const gaps = story.gaps.reduce((sum, { fromS, lastsS }) => sum + fromS + lastsS, 0);
  const jobs = story.jobs.reduce((sum, job) => sum + job.appearsS + job.heldS + job.lastsS + 2400, 0);
  const each = readyMs + searchMs + idleMs + 600_000;
  return (
    (gaps + jobs + story.emptyUntilS + story.othersUntilS) * 1000 +
    waitForJobMs +
    lifetimeMs +
    each * (story.jobs.length + 2) +
    1_800_000
  );
}
