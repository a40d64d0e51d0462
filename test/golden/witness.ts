import { AsyncLocalStorage } from "node:async_hooks";
import type { Simulator } from "../../simulator/start-simulator.ts";
import type { WatchedStep } from "../support/watched-step.ts";

/** A simulated world and the steps that were started in it. */
export interface WitnessedWorld {
  readonly sim: Simulator;
  readonly steps: readonly WatchedStep[];
}

const worlds = new AsyncLocalStorage<WitnessedWorld[]>();

/** Runs a test and keeps the worlds that it starts, also while other tests run beside it. */
export async function witness(runTest: () => Promise<void>): Promise<readonly WitnessedWorld[]> {
  const started: WitnessedWorld[] = [];
  await worlds.run(started, runTest);
  return started;
}

/** Hands a world to the transcript of the test that starts it. Does nothing where none is made. */
export function transcribe(world: WitnessedWorld): void {
  worlds.getStore()?.push(world);
}
