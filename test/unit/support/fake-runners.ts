import type { RunnersPort } from "../../../src/github/registrations.ts";
import type { RunnerState } from "../../../src/github/runners.ts";

/** GitHub's side of renting: what its test puts here is what GitHub answers from then on. */
export class FakeRunners implements RunnersPort {
  readonly registered: { id: number; name: string }[] = [];
  readonly removals: number[] = [];
  /** By the runner's id; offline unless its test says more. */
  readonly states = new Map<number, RunnerState>();
  /** False: it can't be asked for anything. */
  answers = true;
  refusedSince: number | undefined;
  readonly askedAlone = 0;
  /** How often it was asked about runners. */
  looks = 0;
  /** Thrown by a registration instead. */
  registerError: Error | undefined;
  #lastId = 20;

  async registerRunner(name: string) {
    if (this.registerError !== undefined) throw this.registerError;
    this.#lastId += 1;
    this.registered.push({ id: this.#lastId, name });
    return { id: this.#lastId, jitConfig: `configuration-of-${this.#lastId}` };
  }

  async look(ids: ReadonlySet<number>) {
    this.looks += 1;
    if (!this.answers) return undefined;
    return new Map([...ids].map((id) => [id, this.states.get(id) ?? "offline"] as const));
  }

  async remove(id: number) {
    if (!this.answers) return "unknown" as const;
    this.removals.push(id);
    if (this.states.get(id) === "busy") return "busy" as const;
    this.states.set(id, "gone");
    return "removed" as const;
  }
}
