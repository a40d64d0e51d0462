import type { RunnerRoute } from "../http/route.ts";
import { beginJob } from "./begin-job.ts";
import { closeSession } from "./close-session.ts";
import { finishJob } from "./finish-job.ts";
import { nextMessage } from "./next-message.ts";
import { openSession } from "./open-session.ts";

/** All that a listener can ask. */
export const RUNNER_ROUTES: readonly RunnerRoute[] = [openSession, closeSession, nextMessage, beginJob, finishJob];
