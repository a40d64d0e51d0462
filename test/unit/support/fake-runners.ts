import type { RunnerPort } from "../../../src/machine/ports.ts";

/** GitHub's side of renting: what its test puts here is what the room is told from then on. */
export class FakeRunners implements RunnerPort {
  readonly minted: { id: number; name: string }[] = [];
  readonly removals: number[] = [];
  readonly statusLooks: number[] = [];
  /** By the runner's id; offline unless its test says more. */
  readonly statuses = new Map<number, "online" | "offline" | "gone" | "unknown">();
  removal: "removed" | "busy" | "unknown" = "removed";
  /** Ids of runners that a job ran on. */
  readonly ran = new Set<number>();
  jobsReadable = true;
  #lastId = 20;

  async mint(name: string) {
    this.#lastId += 1;
    this.minted.push({ id: this.#lastId, name });
    return { id: this.#lastId, jitConfig: `configuration-of-${this.#lastId}` };
  }

  async status(id: number) {
    this.statusLooks.push(id);
    return this.statuses.get(id) ?? "offline";
  }

  async remove(id: number) {
    this.removals.push(id);
    return this.removal;
  }

  async ranJob({ id }: { id: number }) {
    if (!this.jobsReadable) return "unknown";
    return this.ran.has(id) ? "yes" : "no";
  }
}
