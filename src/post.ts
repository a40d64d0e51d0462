import { runEntry } from "./action/run-entry.ts";
import { runPost } from "./action/run-post.ts";

/** The post step. It goes on when it is asked to stop: every second that it has left belongs to the destruction. */
export const post = (): Promise<void> => runEntry(runPost);
