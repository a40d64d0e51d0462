import { json, notFound } from "../../http/answer.ts";
import type { Operation } from "../../http/operation.ts";
import { paginate } from "../../http/paginate.ts";
import { wireAnnotation } from "../../runs/annotations.ts";

/** Lists the annotations of a job: its id is that of its check run. */
export const listAnnotations: Operation = {
  name: "listAnnotations",
  method: "GET",
  path: "/repos/:owner/:repo/check-runs/:job/annotations",
  permission: "checks=read",
  handle: (call) => {
    const { world, repository, params } = call;
    const job = world.runs.job(Number(params.job));
    if (job?.run.repository !== repository || job.status === "blocked") return notFound();
    const { page, headers } = paginate(call, job.annotations);
    const blob = `https://github.com/${repository.fullName}/blob/${job.id}/.github`;
    return json(
      200,
      page.map((annotation, index) => wireAnnotation(annotation, index, blob)),
      headers,
    );
  },
};
