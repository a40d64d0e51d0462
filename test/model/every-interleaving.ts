import { UserError } from "../../src/shared/user-error.ts";
import { type Acting, firstSweep, type Mutation, main, post, sweep } from "./acts.ts";
import { type Act, type Explored, explore } from "./explore.ts";
import { leftBy, withoutMain } from "./handover.ts";
import { type Invariant, leftAtTheEnd, postEnded } from "./invariants.ts";
import type { Turns } from "./turns.ts";
import { cloneOf, keyOf, type Size, startOfTheWorld, type World } from "./world.ts";

/** A broken invariant, and the turns to it: of main, then of what came after it. */
export interface Broken {
  invariant: Invariant;
  trail: readonly string[];
}

/** Seen so far: the states of each act, and the different worlds that it left behind. */
export interface Seen {
  acts: Record<ActName, Pick<Explored, "ends" | "runs" | "tried"> & { states: number }>;
  /** Worlds that post begins in. */
  handovers: readonly string[];
  /** Worlds in which nobody of this run does anything any more. */
  ends: number;
  broken: readonly Broken[];
}

/** An act of the protocol. */
export type ActName = "first sweep" | "main" | "post" | "sweep" | "late sweep";

interface Reached {
  world: World;
  trail: readonly string[];
}

const HALF_A_DAY_S = 43_200;

/** An invariant is broken: no more has to be known. */
class Enough extends Error {}

/**
 * Explores main's first sweep, main, post from every world that main can leave, and the sweep from
 * every world left after that. Ends at the first broken invariant. `remembersAll`: no two states of
 * main are the same that it came to differently.
 */
export async function everyInterleaving(size: Size, mutation: Mutation = {}, remembersAll = false): Promise<Seen> {
  const exhaustion = new Exhaustion(mutation, remembersAll);
  try {
    await exhaustion.run(size);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return exhaustion.seen();
}

/** A process ends with a value, a cancel, or an error for people; all else is a bug. */
function throwBug(end: object, isCancelled: boolean): void {
  if ("error" in end && !isCancelled && !(end.error instanceof UserError)) throw end.error;
}

class Exhaustion {
  readonly #acting: Acting;
  readonly #handovers = new Map<string, Reached>();
  readonly #ends = new Map<string, Reached>();
  readonly #broken: Broken[] = [];
  readonly #explored = new Map<ActName, Explored>();

  readonly #remembersAll: boolean;

  constructor(mutation: Mutation, remembersAll: boolean) {
    this.#remembersAll = remembersAll;
    this.#acting = { mutation, watch: () => {} };
  }

  seen(): Seen {
    const names: ActName[] = ["first sweep", "main", "post", "sweep", "late sweep"];
    const acts = names.map((name) => {
      const { ends, runs, states, tried } = this.#exploredIn(name);
      return [name, { states: states.size, ends, runs, tried }];
    });
    const worlds = { handovers: [...this.#handovers.keys()], ends: this.#ends.size };
    return { acts: Object.fromEntries(acts), ...worlds, broken: this.#broken };
  }

  async run(size: Size): Promise<void> {
    const begin = { world: startOfTheWorld(size), trail: [] };
    await this.#act("first sweep", begin, {
      start: firstSweep,
      onEnd: (world, end) => throwBug(end, world.mainEnd === "cancelled"),
    });
    await this.#act("main", begin, {
      start: main,
      onState: (world, trail) => this.#mayDie(world, trail),
      onEnd: (world, end, trail) => {
        throwBug(end, world.mainEnd === "cancelled");
        const mainEnd = world.mainEnd ?? ("error" in end ? "failed" : "ended");
        const isOut = mainEnd === "cancelled";
        this.#hand(
          this.#handovers,
          isOut ? withoutMain(world) : { ...world, mainEnd, actor: "post", asked: [] },
          trail,
        );
      },
    });
    for (const handover of this.#handovers.values()) await this.#post(handover);
    for (const end of [...this.#ends.values()]) await this.#sweep(end);
  }

  /** Main can be killed, cut off by a cancel, or gone with its computer: then without a post. */
  #mayDie(world: World, trail: readonly string[]): void {
    if (world.deaths === 0) return;
    this.#hand(this.#handovers, withoutMain(world), [...trail, "main is killed"]);
    this.#end({ ...world, deaths: 0 }, [...trail, "the hosted runner is gone"]);
  }

  async #post(handover: Reached): Promise<void> {
    await this.#act("post", handover, {
      start: post,
      onState: (world, trail) => {
        if (world.deaths > 0) this.#end({ ...world, deaths: 0 }, [...trail, "post is killed"]);
      },
      onEnd: (world, end, trail) => {
        if ("error" in end) throw end.error;
        postEnded(world, end.value, this.#watch(trail));
        this.#end(world, trail);
      },
    });
  }

  #end(world: World, trail: readonly string[]): void {
    this.#hand(this.#ends, leftBy(world), trail);
  }

  /** Working machines give themselves back at their deadlines. The worst case: none does. */
  async #sweep(end: Reached): Promise<void> {
    const { world } = end;
    // While the job runs its run is open: a sweep must leave it.
    if (world.instances.some(({ stage }) => stage === "job")) await this.#sweepWith(end, false);
    const over: World = { ...world, runOverAt: world.now, jobs: [] };
    const frozen = {
      ...end,
      world: { ...over, instances: world.instances.map((each) => ({ ...each, stage: "frozen" as const })) },
    };
    await this.#sweepWith(frozen, false);
    await this.#sweepWith(frozen, true);
  }

  async #sweepWith(end: Reached, doubts: boolean): Promise<void> {
    const left = new Map<string, Reached>();
    const { runOverAt } = end.world;
    await this.#act("sweep", end, {
      start: (turns, acting) => sweep(turns, acting, doubts),
      onEnd: (world, ended, trail) => {
        throwBug(ended, false);
        const isSure = runOverAt !== undefined && !doubts && world.faults === end.world.faults;
        if (isSure) leftAtTheEnd(world, this.#watch(trail), "nothing bills after the sweep");
        if (runOverAt !== undefined) this.#hand(left, { ...world, now: world.now + HALF_A_DAY_S, faults: 0 }, trail);
      },
    });
    for (const later of left.values()) await this.#lateSweep(later, doubts);
  }

  /** After every label of this run has expired. */
  async #lateSweep(later: Reached, doubts: boolean): Promise<void> {
    await this.#act("late sweep", later, {
      start: (turns, acting) => sweep(turns, acting, doubts),
      onEnd: (world, ended, trail) => {
        throwBug(ended, false);
        leftAtTheEnd(world, this.#watch(trail), "nothing bills for ever");
      },
    });
  }

  async #act<End>(
    name: ActName,
    { trail, world }: Reached,
    act: Omit<Act<End>, "start"> & { start: (turns: Turns, acting: Acting) => Promise<End> },
  ): Promise<void> {
    const explored = this.#exploredIn(name);
    this.#explored.set(name, explored);
    const whole = (turn: readonly string[]) => [...trail, `— ${name}`, ...turn];
    const { onState } = act;
    await explore<End>(
      world,
      {
        start: (turns) => {
          turns.remembersAll = this.#remembersAll;
          const watch: Acting["watch"] = (invariant) => this.#watch(whole(turns.trail))(invariant);
          return act.start(turns, { ...this.#acting, watch });
        },
        ...(onState ? { onState: (at, turn) => onState(at, whole(turn)) } : {}),
        isEnough: () => this.#broken.length > 0,
        onEnd: (at, end, turn) => act.onEnd(at, end, whole(turn)),
      },
      explored,
    );
    if (this.#broken.length > 0) throw new Enough();
  }

  #exploredIn(name: ActName): Explored {
    return this.#explored.get(name) ?? { states: new Set(), ends: 0, runs: 0, tried: new Set() };
  }

  #watch(trail: readonly string[]): Acting["watch"] {
    return (invariant) => {
      this.#broken.push({ invariant, trail: [...trail] });
    };
  }

  #hand(to: Map<string, Reached>, world: World, trail: readonly string[]): void {
    const key = keyOf(world);
    if (!to.has(key)) to.set(key, { world: cloneOf(world), trail: [...trail] });
  }
}
