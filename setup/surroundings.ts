import { AsyncLocalStorage } from "node:async_hooks";
import { StoppedError } from "./setup-error.ts";

/** The variables of an environment. */
export type Env = Readonly<Record<string, string | undefined>>;

/** What a start takes from the process that it runs in. */
export interface Surroundings {
  env: Env;
  /** Waits; rejects when the signal aborts. */
  sleep(milliseconds: number, stop: AbortSignal): Promise<unknown>;
}

const current = new AsyncLocalStorage<Surroundings>();

/** Does something, and all that it begins, in these surroundings. */
export function within<T>(surroundings: Surroundings, work: () => T): T {
  return current.run(surroundings, work);
}

/** The environment that this start runs in. */
export function environment(): Env {
  return ours().env;
}

/** Waits; Ctrl-C ends it. */
export async function pause(milliseconds: number, stop: AbortSignal, says?: string): Promise<void> {
  try {
    await ours().sleep(milliseconds, stop);
  } catch (fault) {
    if (!stop.aborted) throw fault;
    throw new StoppedError(says);
  }
}

function ours(): Surroundings {
  const surroundings = current.getStore();
  if (surroundings === undefined) throw new Error("Nothing of setup runs outside of `within`.");
  return surroundings;
}
