import { runEntry } from "./action/platform.ts";
import { runMain } from "./action/run-main.ts";
import { runPost } from "./action/run-post.ts";
import { runSweep } from "./action/run-sweep.ts";

// The exports of dist/index.js. Each of dist/main.js, dist/post.js and dist/sweep.js calls one.

/** Runs the main step. */
export const main = (): Promise<void> => runEntry(runMain);

/** Runs the post step. A signal does not stop it: all of its time belongs to the destruction. */
export const post = (): Promise<void> => runEntry(runPost);

/** Runs the sweep, which is an action of its own: sweep/action.yml. */
export const sweep = (): Promise<void> => runEntry(runSweep);
