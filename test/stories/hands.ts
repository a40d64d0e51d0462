import type { Use } from "../../src/create/label.ts";
import { makeLabel } from "../../src/create/label.ts";
import type { RentOutcome } from "../../src/create/rent.ts";
import type { Acting, Change } from "../../src/fleet/acts.ts";
import { takenOffers } from "../../src/fleet/decide/market.ts";
import { askAgain, kept, noteGone } from "../../src/fleet/give-back.ts";
import { noteRentOutcome } from "../../src/fleet/note-rent.ts";
import type { Act } from "../../src/fleet/plan/plan.ts";
import { mayHaveRun } from "../../src/fleet/stage.ts";
import type { Machine } from "../../src/fleet/state/machine.ts";
import { currentUse } from "../../src/fleet/state/stage.ts";
import type { Fleet } from "../../src/fleet/state.ts";
import { GithubUnavailableError } from "../../src/github/github-errors.ts";
import type { Candidate } from "../../src/market/search.ts";
import type { Log } from "../../src/shared/log.ts";
import { faultOf, UserError } from "../../src/shared/user-error.ts";
import { someTerms } from "../unit/support/a-fleet.ts";
import { anOffer } from "../unit/support/an-offer.ts";
import { aRefusal } from "../unit/support/service-faults.ts";
import { PREFIX } from "./eyes.ts";
import { isIn } from "./lists.ts";
import type { HostStory } from "./story.ts";
import type { Box, RunnerInWorld, World } from "./world.ts";

const LOG: Log = { info() {}, warning() {}, stage: (_title, work) => work() };
const NEVER = Number.POSITIVE_INFINITY;
/** Running to runner online, creation to running (src/fleet/state/fleet.ts, Timing). */
const TIMING = { expectedMs: 100_000, lateMs: 90_000, bootMs: 300_000, onlineMs: 120_000 };
const SEARCH_MS = 400;
const MINT_MS = 300;
/** A create without an answer is looked for. */
const LOOKS_FOR_MS = 40_000;
const STRAY_AFTER_MS = 25_000;
const DESTROY_WITHIN_MS = 90_000;
const NOT_ANSWERED = new UserError("No answer.");
const REGISTERED = new UserError("GitHub registers no runner.");

/** To happen later, beside the loop. */
interface Later {
  at: number;
  happen: () => void;
}

/** Does what the plan says, as `src/fleet/acts.ts` and `give-back.ts` do, some seconds later. */
export class Hands {
  readonly #world: World;
  readonly #fleet: Fleet;
  #later: Later[] = [];
  #isSearching = false;
  #lastRunner = 20;

  constructor(world: World, fleet: Fleet) {
    this.#world = world;
    this.#fleet = fleet;
  }

  /** When the next act is over. */
  nextAt(): number {
    return Math.min(...this.#later.map(({ at }) => at));
  }

  /** The results of acts by now. */
  settle(): void {
    const { now } = this.#world;
    const due = this.#later.filter(({ at }) => at <= now).sort((left, right) => left.at - right.at);
    this.#later = this.#later.filter(({ at }) => at > now);
    for (const { happen } of due) happen();
  }

  start(act: Act): void {
    if (act.do === "search") this.#search();
    else if (act.do === "create") this.#create(act.candidate);
    else this.#giveBack(act);
  }

  #giveBack(act: Extract<Act, { n: number }>): void {
    const machine = this.#fleet.machines.find(({ n }) => n === act.n);
    if (machine === undefined) throw new Error(`There is no machine ${act.n}.`);
    machine.act = act.do === "destroy" ? "destroying" : "giving-up";
    const copy = { ...machine, uses: machine.uses.map((use) => ({ ...use })) };
    this.#after(200, () => (act.do === "destroy" ? this.#destroy(copy) : this.#giveUp(copy)));
  }

  hostOf(offer: number): HostStory {
    const { hosts } = this.#world.story;
    const host = hosts[(offer - 1) % hosts.length];
    if (host === undefined) throw new Error("A story has a host.");
    return host;
  }

  #after(milliseconds: number, happen: () => void): void {
    this.#later.push({ at: this.#world.now + milliseconds, happen });
  }

  #search(): void {
    if (this.#isSearching) return;
    this.#isSearching = true;
    const { now, story } = this.#world;
    const times = this.#fleet.market?.times ?? 0;
    const searchAgainAt = now + Math.min(15_000 * 2 ** times, 120_000);
    const isEmpty = now < story.emptyUntilS * 1000 || isIn(this.#world, "service");
    this.#after(SEARCH_MS, () => {
      this.#isSearching = false;
      const { excluded } = this.#fleet;
      const taken = takenOffers(this.#fleet, now);
      const candidates = isEmpty
        ? []
        : offersOf(story.offers).filter(
            ({ offer }) => !taken.includes(offer.id) && !excluded.offers.includes(offer.id),
          );
      const seen = { searchedAt: now, searchAgainAt, candidates };
      this.#fleet.market =
        candidates.length > 0 ? { ...seen, times: 0 } : { ...seen, times: times + 1, nothing: NOT_ANSWERED };
    });
  }

  #create(candidate: Candidate): void {
    const { now, story } = this.#world;
    const n = this.#fleet.creates + 1;
    const deadline = now + TIMING.bootMs + TIMING.onlineMs + story.lifetimeS * 1000;
    const asked: Machine = {
      n,
      candidate,
      terms: someTerms(candidate),
      timing: { ...TIMING, mayWait: story.mayWait },
      uses: [],
      deadline,
      cutBy: "max-lifetime",
      askedAt: now,
      act: "asking",
    };
    this.#fleet.creates = n;
    this.#fleet.machines.push(asked);
    this.#after(MINT_MS, () => this.#send(asked));
  }

  #send(asked: Machine): void {
    const host = this.hostOf(asked.candidate.offer.id);
    const isBlind = isIn(this.#world, "github");
    if (host.create === "unregistered" || isBlind)
      this.#over(asked.n, { kind: "unregistered", fault: faultOf(isBlind ? DOUBT : REGISTERED) });
    else this.#register(asked, host);
  }

  #register(asked: Machine, host: HostStory): void {
    const runners = Array.from({ length: this.#world.story.jobsPerMachine }, () => this.#registerRunner());
    this.#after(0, () => {
      const machine = this.#fleet.machines.find(({ n }) => n === asked.n);
      if (machine) machine.uses = runners.map(({ id, name }) => ({ runnerId: id, runnerName: name }));
    });
    this.#after(host.createS * 1000, () => this.#carryOut(asked, host, runners));
  }

  #registerRunner(): RunnerInWorld {
    this.#lastRunner += 1;
    const runner = {
      id: this.#lastRunner,
      name: `gpu-${this.#lastRunner}`,
      onlineAt: NEVER,
      goneAt: NEVER,
      job: undefined,
    };
    this.#world.runners.set(runner.id, runner);
    return runner;
  }

  #carryOut(asked: Machine, host: HostStory, runners: RunnerInWorld[]): void {
    const fate = isIn(this.#world, "service") ? "unknown" : host.create;
    if (fate === "unknown") this.#unknown(asked, host, runners);
    else if (fate === "created") this.#over(asked.n, this.#made(asked, host, runners));
    else if (fate === "unwanted") this.#over(asked.n, { ...this.#made(asked, host, runners), unwanted: "no" });
    else this.#notMade(asked, fate, runners);
  }

  #notMade({ n }: Machine, fate: "gone" | "too-fast" | "refused" | "unregistered", runners: RunnerInWorld[]): void {
    for (const runner of runners) this.#world.remove(runner);
    if (fate === "gone" || fate === "too-fast")
      this.#over(n, { kind: "not-made", why: fate, refusal: aRefusal(404, fate), isListed: true });
    else this.#over(n, { kind: "refused", by: "request", refusal: aRefusal(400, "no"), isListed: true });
  }

  #made(asked: Machine, host: HostStory, runners: RunnerInWorld[], isStray = false): RentOutcome & { kind: "created" } {
    const label = makeLabel(PREFIX, asked.n, Math.floor(asked.deadline / 1000));
    const { id } = this.#world.make(asked.n, label, host, runners, asked.deadline, isStray);
    return { kind: "created", instanceId: id, report: undefined as never };
  }

  /** Found by its label within 40 s, or it comes true later than anybody looks, or not at all. */
  #unknown(asked: Machine, host: HostStory, runners: RunnerInWorld[]): void {
    if (host.createS % 2 === 0) this.#over(asked.n, this.#made(asked, host, runners), 10_000);
    else this.#after(LOOKS_FOR_MS, () => this.#giveUpLooking(asked, host, runners));
  }

  #giveUpLooking(asked: Machine, host: HostStory, runners: RunnerInWorld[]): void {
    for (const runner of runners) this.#world.remove(runner);
    this.#over(asked.n, {
      kind: "not-made",
      why: "unknown",
      refusal: aRefusal(502, "no answer", "fault"),
      isListed: false,
    });
    if (host.createS % 4 === 1) this.#after(STRAY_AFTER_MS, () => void this.#made(asked, host, runners, true));
  }

  #over(n: number, outcome: RentOutcome, afterMs = 0): void {
    this.#after(afterMs, () => noteRentOutcome(this.#fleet, n, outcome, this.#told()));
  }

  #giveUp(machine: Readonly<Machine>): void {
    const current = currentUse(machine);
    const waiting = machine.uses.filter((use) => use.spentAt === undefined && use !== current);
    const removed: number[] = [];
    for (const use of current ? [...waiting, current] : []) {
      const answer = this.#removeRunner(use.runnerId);
      if (answer === "removed") removed.push(use.runnerId);
      const change = this.#afterRemoval(answer, machine, use, removed);
      if (change === undefined) continue;
      change(this.#fleet);
      return;
    }
    this.#destroy(machine);
  }

  /** Undefined: it can be destroyed, as far as this runner goes. */
  #afterRemoval(answer: string, machine: Readonly<Machine>, use: Use, removed: number[]): Change | undefined {
    const acting = { deps: this.#deps() } as unknown as Acting;
    const { askAgainAt, n } = machine;
    if (answer === "busy") return kept(acting, n, use, removed);
    const mayRun = mayHaveRun(machine) || askAgainAt === undefined;
    return answer === "unknown" && mayRun ? askAgain(acting, n, removed) : undefined;
  }

  #removeRunner(id: number): "removed" | "busy" | "unknown" {
    const runner = this.#world.runners.get(id);
    if (isIn(this.#world, "github")) return "unknown";
    return runner === undefined ? "removed" : this.#world.remove(runner);
  }

  #destroy(machine: Readonly<Machine>): void {
    const { instanceId, n } = machine;
    const box = this.#world.boxes.find(({ id }) => id === instanceId);
    if (box === undefined) throw new Error(`There is no instance of machine ${n}.`);
    if (isIn(this.#world, "service"))
      this.#after(DESTROY_WITHIN_MS, () => askAgain({ deps: this.#deps() }, n, [])(this.#fleet));
    else this.#after(box.host.destroyS * 1000, () => this.#takeAway(box, machine));
  }

  #takeAway(box: Box, machine: Readonly<Machine>): void {
    this.onDestroy(box.n, machine);
    const how = this.#world.destroy(box);
    const later = this.#fleet.machines.find(({ n }) => n === machine.n);
    if (later !== undefined) noteGone(later, how, this.#world.now, (text) => text);
  }

  /** Told right before a machine is taken away. */
  onDestroy: (n: number, machine: Readonly<Machine>) => void = () => {};

  #deps() {
    return { log: LOG, clock: this.#told().clock } as never;
  }

  #told() {
    const policy = { bidFallback: false };
    return { log: LOG, clock: { now: () => this.#world.now, sleep: async () => {} }, policy };
  }
}

const DOUBT = new GithubUnavailableError("register a runner", "no answer");

const OFFERS: Candidate[] = Array.from({ length: 60 }, (_, index) => ({
  offer: anOffer({ id: index + 1, machine_id: index + 1 }),
  price: { total: 0.4 } as Candidate["price"],
}));

function offersOf(count: number): Candidate[] {
  return OFFERS.slice(0, count);
}
