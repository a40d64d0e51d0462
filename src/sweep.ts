import { runEntry } from "./action/platform.ts";
import { runSweep } from "./action/run-sweep.ts";

/** The sweep, an action of its own: sweep/action.yml. */
export const sweep = (): Promise<void> => runEntry(runSweep);
