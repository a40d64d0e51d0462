import { z } from "zod";
import { json, notFound } from "../http/answer.ts";
import type { Route } from "../http/route.ts";
import { CONCLUSIONS, JOB_STATUSES } from "../run-spec.ts";
import { viewJob } from "./view-run.ts";

const Body = z.strictObject({ status: z.enum(JOB_STATUSES), conclusion: z.enum(CONCLUSIONS).default("success") });

/** Plays the runner of a job: `{ "status": "completed", "conclusion": "success" }`. */
export const changeJob: Route = {
  method: "POST",
  path: "/_control/jobs/:id",
  handle: ({ world, params, body }) => {
    const job = world.runs.job(Number(params.id));
    if (job === undefined) return notFound();
    const { status, conclusion } = Body.parse(JSON.parse(body));
    if (status === "completed") world.runs.complete(job, conclusion);
    else world.runs.setStatus(job, status);
    return json(200, viewJob(job));
  },
};
