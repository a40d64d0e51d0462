import { noteFailure } from "./action/main-end.ts";
import { runEntry } from "./action/run-entry.ts";
import { runMain } from "./action/run-main.ts";

/** The main step. */
export const main = (): Promise<void> => runEntry(runMain, noteFailure);
