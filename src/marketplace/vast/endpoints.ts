// The operations of the service that renting takes, as one table to hold against the specification,
// whose parts are listed in docs/internals/seed-coverage.md.

import { z } from "zod";
import { NotFoundError, RequestRejectedError } from "../errors.ts";
import type { InstanceConfig, TemplateFilters, WireLogRequest, WireQuery } from "./requests.ts";
import {
  apiKeySchema,
  createAnswerSchema,
  INSTANCE_COLUMNS,
  instanceSchema,
  maybeNumber,
  offerSchema,
  readableRows,
  templateSchema,
  userSchema,
  volumeSchema,
} from "./schemas.ts";

/** One request of an operation. */
export interface ServiceRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  query?: Record<string, string>;
  body?: unknown;
}

/** One operation of the service: all that a reviewer compares with the specification. */
export interface Endpoint<Args extends readonly unknown[], Answer> {
  /** Names the operation in the specification's words, for messages. */
  readonly operation: string;
  /** Names the permission that a restricted key needs. */
  readonly permission: string;
  /** The service refuses calls of one operation that follow each other faster than this, in milliseconds. */
  readonly intervalMs: number;
  /** How long one answer may take, where that is less than usual, in milliseconds. */
  readonly answersWithinMs?: number;
  /** True if the service may hold the call back for as long as it asks: nothing bills meanwhile. */
  readonly waitsLong?: boolean;
  /** True if the client sends the call again after no answer, a 429 or a 5xx. */
  readonly isRepeated: boolean;
  readonly request: (...args: Args) => ServiceRequest;
  /** Unwraps a 2xx answer. */
  readonly answer: z.ZodType<Answer>;
  /** Turns a refusal that is an answer here into that answer. Throws any other error on. */
  readonly refused?: (error: unknown) => Answer;
  /** Finds the secret in an answer, so that it is masked. */
  readonly secret?: (answer: Answer) => string;
}

/** Infers the types of one row of a table. */
export function endpoint<Args extends readonly unknown[], Answer>(row: Endpoint<Args, Answer>): Endpoint<Args, Answer> {
  return row;
}

/** Describes an operation that only reads: the client sends it again after a passing fault. */
export function reads(operation: string, permission: string, intervalMs: number) {
  return { operation, permission, intervalMs, isRepeated: true };
}

/** Describes an operation that is sent once: a second request could rent twice, or come too late. */
export function once(operation: string, permission: string, intervalMs: number) {
  return { operation, permission, intervalMs, isRepeated: false };
}

/** Reads any 2xx answer as done. */
export const done = z.unknown().transform(() => undefined);

/** Makes the answer of an operation for which the service itself says that there is nothing of that id. */
export function ifNotFound<const Answer>(answer: Answer): (error: unknown) => Answer {
  return (error) => {
    if (error instanceof NotFoundError && error.refusal.ownWord) return answer;
    throw error;
  };
}

const INSTANCES_A_PAGE = 25;

const listing = {
  ...reads("list instances", "instance_read", 1000),
  answer: z
    .looseObject({
      // Strict about the rows, unlike offers: a list that hides an instance must not pass as whole.
      instances: z.array(instanceSchema),
      // So is one whose next page can't be asked for.
      next_token: z.string().nullish(),
      instances_found: maybeNumber,
      // Of all pages together.
      total_instances: maybeNumber,
    })
    .refine(({ instances, instances_found = 0 }) => instances_found <= instances.length, {
      path: ["instances_found"],
      error: "the list has fewer instances",
    }),
};

/** One page of the account's instances, and where the next one begins. */
export type InstancePage = z.infer<typeof listing.answer>;

/** The operations, each under the name that it has in the simulator. */
export const ENDPOINTS = {
  /** Specification, "Search offers": filters and control keys share one object. */
  searchOffers: endpoint({
    ...reads("search offers", "misc", 0),
    waitsLong: true,
    request: ({ filters, ...control }: WireQuery) => ({
      method: "POST",
      path: "/api/v0/bundles/",
      body: { ...filters, ...control },
    }),
    answer: z.looseObject({ offers: readableRows(offerSchema) }).transform(({ offers }) => offers),
  }),

  /** Specification, "Create instance". */
  createInstance: endpoint({
    ...once("create instance", "instance_write", 4500),
    waitsLong: true,
    request: (offerId: number, config: InstanceConfig) => ({
      method: "PUT",
      path: `/api/v0/asks/${offerId}/`,
      body: config,
    }),
    answer: createAnswerSchema,
  }),

  /** Specification, "Get one instance": `{instances: <object>}`. The service says null for an instance that is gone. */
  getInstance: endpoint({
    ...reads("get one instance", "instance_read", 2000),
    request: (id: number) => ({ method: "GET", path: `/api/v0/instances/${id}/` }),
    answer: z
      .looseObject({ instances: instanceSchema.nullable() })
      .transform(({ instances }) => instances ?? undefined),
    refused: ifNotFound(undefined),
  }),

  /** The list as the service has it today: pages of at most 25. Not in the specification. */
  listInstances: endpoint({
    ...listing,
    request: ({ afterToken, label }: { afterToken: string | undefined; label: string | undefined }) => ({
      method: "GET",
      path: "/api/v1/instances/",
      query: {
        limit: String(INSTANCES_A_PAGE),
        select_cols: JSON.stringify(INSTANCE_COLUMNS),
        ...(afterToken === undefined ? {} : { after_token: afterToken }),
        ...(label === undefined ? {} : { select_filters: JSON.stringify({ label: { eq: label } }) }),
      },
    }),
  }),

  /** Specification, "List instances": all at once. Deprecated in the service, and the specification's only form. */
  listInstancesSeed: endpoint({ ...listing, request: () => ({ method: "GET", path: "/api/v0/instances/" }) }),

  /** Specification, "Destroy an instance". The caller must still see that it is gone. */
  destroyInstance: endpoint({
    ...once("destroy an instance", "instance_write", 3000),
    // Whether the instance is gone is seen by looking at it, which needs no answer.
    answersWithinMs: 10_000,
    request: (id: number) => ({ method: "DELETE", path: `/api/v0/instances/${id}/` }),
    answer: z.unknown().transform((): "asked" | "absent" => "asked"),
    refused: ifNotFound("absent"),
  }),

  /** Makes the host store a log's last lines. Answers the file's address. Not in the specification. */
  requestLogs: endpoint({
    // SPEC-SILENT: no figure is known; this is that of the service's other light calls.
    ...once("request logs", "instance_read", 1000),
    request: ({ id, tail, log }: WireLogRequest) => ({
      method: "PUT",
      path: `/api/v0/instances/request_logs/${id}/`,
      body: { tail: String(tail), ...(log === "daemon" ? { daemon_logs: "true" } : {}) },
    }),
    answer: z.looseObject({ result_url: z.string() }).transform(({ result_url }) => result_url),
  }),

  /** Specification, "Current user". */
  currentUser: endpoint({
    ...reads("current user", "user_read", 0),
    request: () => ({ method: "GET", path: "/api/v0/users/current/" }),
    answer: userSchema,
  }),

  /** Not in the specification. SPEC-SILENT: what it answers; a row of the list, or the bare key, as is described. */
  getApiKey: endpoint({
    ...reads("show API key", "user_read", 1000),
    request: (id: number) => ({ method: "GET", path: `/api/v0/auth/apikeys/${id}/` }),
    answer: z.union([z.string(), apiKeySchema]),
  }),

  /** Specification, "Search templates". The documented refusal `{success: false, msg: "No templates found"}` is an empty list. */
  searchTemplates: endpoint({
    ...reads("search templates", "user_read", 3000),
    request: (filters?: TemplateFilters) => ({
      method: "GET",
      path: "/api/v0/template/",
      query: { select_filters: JSON.stringify(filters ?? {}) },
    }),
    answer: z.looseObject({ templates: readableRows(templateSchema) }).transform(({ templates }) => templates),
    refused: (error) => {
      const isRefusal = error instanceof RequestRejectedError && error.status === 200;
      if (isRefusal && /no templates found/i.test(error.sentence)) return [];
      throw error;
    },
  }),

  /** The account's volumes. Not in the specification. */
  listVolumes: endpoint({
    ...reads("list volumes", "instance_read", 5500),
    request: () => ({ method: "GET", path: "/api/v0/volumes", query: { owner: "me", type: "all_volume" } }),
    answer: z.looseObject({ volumes: z.array(volumeSchema) }).transform(({ volumes }) => volumes),
  }),
} as const;
