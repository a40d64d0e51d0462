import { runEntry } from "./action/platform.ts";
import { runMain } from "./action/run-main.ts";

/** The main step. */
export const main = (): Promise<void> => runEntry(runMain);
