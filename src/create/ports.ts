import type { RunnerState } from "../github/runners.ts";
import type { MachineRecord } from "./machine-record.ts";

/**
 * The registrations of this use, at GitHub. Before the token has registered a first runner, a
 * refusal is an error; after that it is no evidence, like every doubt.
 */
export interface RunnersPort {
  /** Registers a single-use runner. The configuration is a secret. Throws if GitHub makes none. */
  registerRunner(name: string, signal?: AbortSignal): Promise<{ id: number; jitConfig: string }>;
  /**
   * The state of each of these runners, by one request for all; undefined: GitHub could not be
   * asked, which is never evidence.
   */
  look(ids: ReadonlySet<number>, signal?: AbortSignal): Promise<ReadonlyMap<number, RunnerState> | undefined>;
  /** `removed`: nobody can use it any more. `busy`: it has a job. `unknown`: not told. */
  remove(id: number, signal?: AbortSignal): Promise<"removed" | "busy" | "unknown">;
  /**
   * Since when GitHub refuses the token that it had accepted, in milliseconds since the epoch:
   * `unknown` may last from then on.
   */
  readonly refusedSince: number | undefined;
}

/** Notes around each step that may rent, by which post finds it whatever happens to main. */
export interface LedgerPort {
  /** All runners of the n-th machine that are registered by now. */
  runners(n: number, runnerIds: readonly number[]): void;
  pending(n: number, label: string): void;
  /** `none`: the service surely created nothing. */
  created(n: number, instanceId: number | "none"): void;
  report(n: number, report: MachineRecord): void;
}
