import type { Workflow } from "../runs/workflows.ts";
import { wireTime } from "./wire-time.ts";

/** A workflow as GitHub shows it. */
export function wireWorkflow(
  { id, name, path, repository, createdAt }: Workflow,
  api: string,
): Record<string, unknown> {
  const page = `https://github.com/${repository.fullName}`;
  return {
    id,
    node_id: Buffer.from(`08:Workflow${id}`).toString("base64"),
    name,
    path,
    state: "active",
    created_at: wireTime(createdAt),
    updated_at: wireTime(createdAt),
    url: `${api}/repos/${repository.fullName}/actions/workflows/${id}`,
    html_url: `${page}/blob/main/${path}`,
    badge_url: `${page}/workflows/${encodeURIComponent(name)}/badge.svg`,
  };
}
