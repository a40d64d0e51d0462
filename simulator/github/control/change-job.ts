import { z } from "zod";
import { json, notFound } from "../http/answer.ts";
import type { Route } from "../http/route.ts";
import { CONCLUSIONS, JOB_STATUSES } from "../runs/run-spec.ts";
import { viewJob } from "./view-run.ts";

const Body = z.union([
  z.strictObject({ status: z.enum(JOB_STATUSES), conclusion: z.enum(CONCLUSIONS).default("success") }),
  z.strictObject({ cancel: z.literal(true) }),
]);

/** Plays runners, `{ "status": "completed", "conclusion": … }`; or people, `{ "cancel": true }`. */
export const changeJob: Route = {
  method: "POST",
  path: "/_control/jobs/:id",
  handle: ({ world, params, body }) => {
    const job = world.runs.job(Number(params.id));
    if (job === undefined) return notFound();
    const asked = Body.parse(JSON.parse(body));
    if ("cancel" in asked) world.runs.cancelJob(job);
    else if (asked.status === "completed") world.runs.complete(job, asked.conclusion);
    else world.runs.setStatus(job, asked.status);
    return json(200, viewJob(job));
  },
};
