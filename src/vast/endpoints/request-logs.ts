import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/** How many last lines of which log: the container's own, or its host's on it. */
export interface LogRequest {
  id: number;
  tail: number;
  log: "container" | "daemon";
}

/** Has the host store a log's last lines, brings the file's address. Not in the specification. */
export const requestLogs: Endpoint<LogRequest, string> = {
  operation: "request logs",
  method: "PUT",
  path: ({ id }) => `/api/v0/instances/request_logs/${id}/`,
  body: ({ tail, log }) => ({ tail: String(tail), ...(log === "daemon" ? { daemon_logs: "true" } : {}) }),
  answer: z.looseObject({ result_url: z.string() }).transform((body) => body.result_url),
  retry: "never",
  permission: "instance_read",
  // SPEC-SILENT: no figure is known; this is that of the service's other light calls.
  intervalMs: 1000,
};
