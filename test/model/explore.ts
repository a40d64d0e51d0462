import { hash } from "node:crypto";
import { Turns } from "./turns.ts";
import { cloneOf, keyOf, type World } from "./world.ts";

/** One process of the protocol, and what is done with what it comes to. */
export interface Act<End> {
  start: (turns: Turns) => Promise<End>;
  /** Called once for every state in which it could be killed; the world is the explorer's own. */
  onState?: (world: World, trail: readonly string[]) => void;
  /** Nothing more is to be learnt. */
  isEnough?: () => boolean;
  onEnd: (world: World, end: { value: End } | { error: unknown }, trail: readonly string[]) => void;
}

/** Seen so far in an exploration. */
export interface Explored {
  states: Set<string>;
  ends: number;
  runs: number;
  /** Everything that was chosen anywhere, without the numbers of instances and runners. */
  tried: Set<string>;
}

/** So many turns of one process are a loop. */
const MOST_TURNS = 2000;

/**
 * Takes a process through every order of turns. It starts over each time, as a promise can't be
 * copied: the choices so far are repeated, up to the first state that was never seen. Two states
 * are the same when the world is the same and the process has learnt the same.
 */
export async function explore<End>(world: World, act: Act<End>, explored: Explored): Promise<void> {
  const open: number[][] = [[]];
  for (let choices = open.pop(); choices !== undefined; choices = open.pop()) {
    if (act.isEnough?.()) return;
    explored.runs += 1;
    const run = new Run(world, act, explored, choices, open);
    await run.finish();
    run.leave();
  }
}

class Run<End> {
  readonly #turns: Turns;
  readonly #act: Act<End>;
  readonly #explored: Explored;
  readonly #choices: readonly number[];
  readonly #open: number[][];
  #end: { value: End } | { error: unknown } | undefined;

  constructor(world: World, act: Act<End>, explored: Explored, choices: readonly number[], open: number[][]) {
    this.#act = act;
    this.#explored = explored;
    this.#choices = choices;
    this.#open = open;
    this.#turns = new Turns(cloneOf(world));
    act.start(this.#turns).then(
      (value) => {
        this.#end = { value };
      },
      (error: unknown) => {
        this.#end = { error };
      },
    );
  }

  async finish(): Promise<void> {
    const taken: number[] = [];
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      await everyoneElse();
      if (this.#end) {
        this.#explored.ends += 1;
        return this.#act.onEnd(this.#turns.world, this.#end, this.#turns.trail);
      }
      const choice = this.#choices[turn] ?? this.#chooseAnew(taken);
      if (choice === undefined) return;
      taken.push(choice);
      this.#take(choice, turn >= this.#choices.length - 1);
    }
    throw new Error(`No end after ${MOST_TURNS} turns: ${this.#turns.trail.slice(-20).join(", ")}`);
  }

  /** Ends the process wherever it is: signals that somebody listens to are never forgotten. */
  leave(): void {
    this.#turns.onCarriedOut = () => {};
    this.#turns.cancel.abort(new Error("left"));
  }

  /** Undefined: this state is known. */
  #chooseAnew(taken: readonly number[]): number | undefined {
    const options = this.#turns.options();
    if (!this.#turns.isAsking) return 0;
    const key = hash("sha1", `${keyOf(this.#turns.world)}${this.#turns.history}`);
    if (this.#explored.states.has(key)) return undefined;
    this.#explored.states.add(key);
    this.#act.onState?.(this.#turns.world, this.#turns.trail);
    for (let index = options.length - 1; index > 0; index -= 1) this.#open.push([...taken, index]);
    return 0;
  }

  #take(choice: number, isNew: boolean): void {
    const option = this.#turns.options()[choice];
    if (option === undefined)
      throw new Error(`There is nothing to wait for: ${this.#turns.trail.slice(-20).join(", ")}`);
    this.#turns.trail.push(option.name);
    if (isNew) this.#explored.tried.add(withoutNumber(option.name));
    this.#turns.onCarriedOut = () => isNew && this.#act.onState?.(this.#turns.world, this.#turns.trail);
    option.take();
  }
}

/** `destroy an instance 701: 429` is `destroy an instance: 429` whichever instance it is. */
function withoutNumber(name: string): string {
  const [what = "", ...fault] = name.split(": ");
  return [what.replace(/ ?\d+/, "").trim(), ...fault].join(": ");
}

/** Lets everything run that does not wait for a turn. */
function everyoneElse(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
