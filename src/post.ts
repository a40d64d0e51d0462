import { runEntry } from "./action/platform.ts";
import { runPost } from "./action/run-post.ts";

/** The post step. It goes on when asked to stop: all time left belongs to the destruction. */
export const post = (): Promise<void> => runEntry(runPost);
