import { reportFailure } from "../report/report-failure.ts";
import { CancelledError } from "./cancelled-error.ts";

/** Runs the story of an entry: signals become an abort, errors a red step. */
export async function runEntry(story: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const cancel = new AbortController();
  const onSignal = (name: string) => cancel.abort(new CancelledError(name));
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    await story(cancel.signal);
  } catch (error) {
    reportFailure(error);
  } finally {
    process.removeListener("SIGINT", onSignal).removeListener("SIGTERM", onSignal);
  }
}
