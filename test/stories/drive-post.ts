import { keepAfterCancel } from "../../src/release/after-cancel.ts";
import { DESTROY_WITHIN_MS } from "../../src/release/destroy.ts";
import { destroySession, remainsOf, removeRunners } from "../../src/release/destroy-session.ts";
import { leaveRun, seenJobs } from "../../src/runs/own-run.ts";
import { UserError } from "../../src/shared/user-error.ts";
import { sessionIn } from "./drive.ts";
import type { Outside } from "./outside.ts";
import type { InputsStory } from "./story.ts";

/** Of all of post (src/action/run-post.ts). */
const POST_MS = 250_000;

/** The end of post. */
interface PostEnd {
  /** What it could not destroy, in words. */
  undestroyed: readonly string[];
  /** By which it fails, though nothing bills. */
  error?: Error;
}

/** Runs post, but for its report. */
export async function drivePost(outside: Outside, inputs: InputsStory): Promise<PostEnd> {
  const { clock, log, writes } = outside;
  const { ledger } = writes;
  const start = clock.now();
  const until = start + POST_MS;
  const session = sessionIn(outside, inputs, "post", start + DESTROY_WITHIN_MS.post);
  const isCancelled = outside.jobStatus === "cancelled";
  const keeping = isCancelled ? keepAfterCancel(session, ledger.reports, start) : undefined;
  const remains = remainsOf(ledger);
  const destroying = { service: session.service, clock, log, until: start + DESTROY_WITHIN_MS.post };
  const used = remains && (await destroySession(destroying, remains, keeping?.mayGo));
  if (ledger.prefix !== undefined) await removeRunners(session, ledger, until);
  const { destroyed = [], undestroyed = [] } = used ?? {};
  if (undestroyed.length > 0) return { undestroyed };
  const leaving = { session, ledger, destroyed, start, until };
  try {
    await leaveRun(leaving, await seenJobs(leaving));
    return { undestroyed };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { undestroyed, error };
  }
}
