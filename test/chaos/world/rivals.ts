import type { Fault } from "../../../simulator/scenario/fault.ts";
import type { PlannedRun } from "../planned-run.ts";
import type { ChaosWorld } from "./open-world.ts";

/** Our create is held up so long, in simulated seconds, that the rival's comes first. */
const HEAD_START_SECONDS = 2;
const LOOK_EVERY_MS = 2;

/** Somebody else rents the same offer in the moment in which our create arrives. */
export class Rivals implements Disposable {
  readonly #world: ChaosWorld;
  readonly #offers: Set<number>;
  readonly #timer: NodeJS.Timeout;

  constructor({ rivals = [] }: PlannedRun, world: ChaosWorld) {
    this.#world = world;
    this.#offers = new Set(rivals);
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Holds our creates up. */
  get faults(): Fault[] {
    const common = { operation: "createInstance", nth: 1, kind: "delay", seconds: HEAD_START_SECONDS } as const;
    return [...this.#offers].map((offer) => ({ ...common, offer }));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#offers.size === 0) return;
    for (const { outcome, path } of this.#world.session.sim.service.journal.of("createInstance")) {
      const offer = Number(/\/asks\/(\d+)\//.exec(path)?.[1]);
      if (outcome === "pending" && this.#offers.delete(offer)) this.#rent(offer);
    }
  }

  #rent(offer: number): void {
    this.#world.say(`somebody else rents offer ${offer}, too`);
    this.#world.addBystander("somebody-elses", offer);
  }
}
