import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { maybeNumber } from "../schemas/foreign.ts";
import { INSTANCE_COLUMNS, type Instance, instanceSchema } from "../schemas/instance.ts";

/** One page of the account's instances, and where the next one begins. */
export interface InstancePage {
  instances: Instance[];
  nextToken: string | undefined;
}

/** Which page, and of which instances: undefined for all. */
export interface PageRequest {
  afterToken: string | undefined;
  label: string | undefined;
}

const PAGE_SIZE = 25;

const answer = z.looseObject({
  // Strict about the rows, unlike offers: a list that hides an instance must not pass as whole.
  instances: z.array(instanceSchema),
  // So is one whose next page can't be asked for.
  next_token: z.string().nullish(),
  instances_found: maybeNumber,
});

function pageOf({ instances, next_token }: z.infer<typeof answer>): InstancePage {
  return { instances, nextToken: next_token || undefined };
}

const common = {
  operation: "list instances",
  method: "GET",
  retry: "read",
  permission: "instance_read",
  intervalMs: 1000,
} as const;

/** The list as the service has it today: pages of at most 25. Not in the specification. */
export const listInstancesPage: Endpoint<PageRequest, InstancePage> = {
  ...common,
  path: () => "/api/v1/instances/",
  answer: answer.transform(pageOf),
  query: ({ afterToken, label }) => ({
    limit: String(PAGE_SIZE),
    select_cols: JSON.stringify(INSTANCE_COLUMNS),
    ...(afterToken === undefined ? {} : { after_token: afterToken }),
    ...(label === undefined ? {} : { select_filters: JSON.stringify({ label: { eq: label } }) }),
  }),
};

/**
 * Seed, List instances: all at once, and how many there are. Deprecated in the service, and the
 * only form in the specification. A list that is shorter than it says hides an instance.
 */
export const listInstancesSeed: Endpoint<undefined, InstancePage> = {
  ...common,
  path: () => "/api/v0/instances/",
  answer: answer
    .refine(({ instances, instances_found = 0 }) => instances_found <= instances.length, {
      path: ["instances_found"],
      error: "the list has fewer instances",
    })
    .transform(pageOf),
};
