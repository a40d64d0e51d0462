import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/**
 * Seed: `state: "stopped"`. SPEC-SILENT: the other two; `running` starts it again, and a label is
 * changed like this, as was seen.
 */
export type InstanceChange = { state: "stopped" | "running" } | { label: string };

/** Seed, Stop an instance. A stopped one bills its disk. */
export const changeInstance: Endpoint<{ id: number; change: InstanceChange }, true> = {
  operation: "stop, start or label an instance",
  method: "PUT",
  path: ({ id }) => `/api/v0/instances/${id}/`,
  body: ({ change }) => change,
  answer: z.unknown().transform(() => true as const),
  // A second start could come after a stop that was sent meanwhile.
  retry: "never",
  permission: "instance_write",
  intervalMs: 1000,
};
