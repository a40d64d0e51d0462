import { setTimeout as sleepFor } from "node:timers/promises";
import { StoppedError } from "./setup-error.ts";

/** Waits; Ctrl-C ends it. */
export async function pause(milliseconds: number, stop: AbortSignal, says?: string): Promise<void> {
  try {
    await sleepFor(milliseconds, undefined, { signal: stop });
  } catch (fault) {
    if (!stop.aborted) throw fault;
    throw new StoppedError(says);
  }
}
