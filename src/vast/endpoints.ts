// The operations of the service that renting takes, as one table to hold against the specification.

import { z } from "zod";
import type { FieldFilter } from "../marketplace/marketplace.ts";
import { maybeNumber, readableRows } from "./foreign.ts";
import type { InstanceConfig, LogRequest, OfferQuery, TemplateFilters } from "./requests.ts";
import {
  type ApiKey,
  apiKeySchema,
  type CreateAnswer,
  createAnswerSchema,
  INSTANCE_COLUMNS,
  type Instance,
  instanceSchema,
  type Offer,
  offerSchema,
  type Template,
  templateSchema,
  type User,
  userSchema,
  type Volume,
  type VolumeOffer,
  volumeOfferSchema,
  volumeSchema,
} from "./schemas.ts";

/**
 * Who may send a call again after no answer, 429 or 5xx. `read`: the client does, by itself.
 * `destroy`: only its caller does. `never`: nobody, because a second call could rent a second
 * machine, or come too late to be of use.
 */
type RetryPolicy = "read" | "destroy" | "never";

/** One operation of the service: all that a reviewer compares with the specification. */
export interface Endpoint<Input, Output> {
  /** The operation in the specification's words, for messages. */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: (input: Input) => string;
  readonly query?: (input: Input) => Record<string, string>;
  readonly body?: (input: Input) => unknown;
  /** Unwraps a 2xx answer. */
  readonly answer: z.ZodType<Output>;
  readonly retry: RetryPolicy;
  /** The scope that a restricted key needs for it. */
  readonly permission: string;
  /** The service refuses calls of one route that follow each other faster than this, in milliseconds. */
  readonly intervalMs: number;
}

/** Reads any 2xx answer as a yes. */
export const yes = z.unknown().transform(() => true as const);

/** Seed, Search offers: filters and control keys share one object. */
const searchOffers: Endpoint<OfferQuery, Offer[]> = {
  operation: "search offers",
  method: "POST",
  path: () => "/api/v0/bundles/",
  body: ({ filters, ...control }) => ({ ...filters, ...control }),
  answer: z.looseObject({ offers: readableRows(offerSchema) }).transform((body) => body.offers),
  retry: "read",
  permission: "misc",
  intervalMs: 0,
};

/** Rents. Sent once and never again by itself. */
const createInstance: Endpoint<{ offerId: number; config: InstanceConfig }, CreateAnswer> = {
  operation: "create instance",
  method: "PUT",
  path: ({ offerId }) => `/api/v0/asks/${offerId}/`,
  body: ({ config }) => config,
  answer: createAnswerSchema,
  retry: "never",
  permission: "instance_write",
  intervalMs: 4500,
};

/** Seed, Get one instance: `{instances: <object>}`; the service says null for one that is gone. */
const getInstance: Endpoint<number, Instance | undefined> = {
  operation: "get one instance",
  method: "GET",
  path: (id) => `/api/v0/instances/${id}/`,
  answer: z.looseObject({ instances: instanceSchema.nullable() }).transform((body) => body.instances ?? undefined),
  retry: "read",
  permission: "instance_read",
  intervalMs: 2000,
};

/** One page of the account's instances, and where the next one begins. */
export interface InstancePage {
  instances: Instance[];
  nextToken: string | undefined;
  /** How many instances all pages have together, if the service tells. */
  total: number | undefined;
}

/** Which page to read. `label`: only of instances with this label; undefined: of all. */
interface PageRequest {
  afterToken: string | undefined;
  label: string | undefined;
}

const PAGE_SIZE = 25;

const listAnswer = z
  .looseObject({
    // Strict about the rows, unlike offers: a list that hides an instance must not pass as whole.
    instances: z.array(instanceSchema),
    // So is one whose next page can't be asked for.
    next_token: z.string().nullish(),
    instances_found: maybeNumber,
    total_instances: maybeNumber,
  })
  .refine(({ instances, instances_found = 0 }) => instances_found <= instances.length, {
    path: ["instances_found"],
    error: "the list has fewer instances",
  })
  .transform(
    ({ instances, next_token, total_instances }): InstancePage => ({
      instances,
      nextToken: next_token || undefined,
      total: total_instances,
    }),
  );

const listing = {
  operation: "list instances",
  method: "GET",
  answer: listAnswer,
  retry: "read",
  permission: "instance_read",
  intervalMs: 1000,
} as const;

/** The list as the service has it today: pages of at most 25. Not in the specification. */
const listInstances: Endpoint<PageRequest, InstancePage> = {
  ...listing,
  path: () => "/api/v1/instances/",
  query: ({ afterToken, label }) => ({
    limit: String(PAGE_SIZE),
    select_cols: JSON.stringify(INSTANCE_COLUMNS),
    ...(afterToken === undefined ? {} : { after_token: afterToken }),
    ...(label === undefined ? {} : { select_filters: JSON.stringify({ label: { eq: label } }) }),
  }),
};

/** Seed, List instances: all at once. Deprecated in the service, and the specification's only form. */
const listInstancesSeed: Endpoint<undefined, InstancePage> = { ...listing, path: () => "/api/v0/instances/" };

/** Seed, Destroy an instance. Ends its billing; the caller must still see that it is gone. */
const destroyInstance: Endpoint<number, true> = {
  operation: "destroy an instance",
  method: "DELETE",
  path: (id) => `/api/v0/instances/${id}/`,
  answer: yes,
  retry: "destroy",
  permission: "instance_write",
  intervalMs: 3000,
};

/** Makes the host store a log's last lines, and returns the file's address. Not in the specification. */
const requestLogs: Endpoint<LogRequest, string> = {
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

/** Seed, Current user. */
const currentUser: Endpoint<undefined, User> = {
  operation: "current user",
  method: "GET",
  path: () => "/api/v0/users/current/",
  answer: userSchema,
  retry: "read",
  permission: "user_read",
  intervalMs: 0,
};

/**
 * One key. Not in the specification. SPEC-SILENT: what it answers; taken to be a row of the list,
 * or the key itself as a bare text.
 */
const getApiKey: Endpoint<number, ApiKey | string> = {
  operation: "show API key",
  method: "GET",
  path: (id) => `/api/v0/auth/apikeys/${id}/`,
  answer: z.union([z.string(), apiKeySchema]),
  retry: "read",
  permission: "user_read",
  intervalMs: 1000,
};

/** Seed, Search templates. */
const searchTemplates: Endpoint<TemplateFilters, Template[]> = {
  operation: "search templates",
  method: "GET",
  path: () => "/api/v0/template/",
  query: (filters) => ({ select_filters: JSON.stringify(filters) }),
  answer: z.looseObject({ templates: readableRows(templateSchema) }).transform((body) => body.templates),
  retry: "read",
  permission: "user_read",
  intervalMs: 3000,
};

/** The account's volumes. Not in the specification. */
const listVolumes: Endpoint<undefined, Volume[]> = {
  operation: "list volumes",
  method: "GET",
  path: () => "/api/v0/volumes",
  query: () => ({ owner: "me", type: "all_volume" }),
  answer: z.looseObject({ volumes: z.array(volumeSchema) }).transform((body) => body.volumes),
  retry: "read",
  permission: "instance_read",
  intervalMs: 5500,
};

/** Room for volumes. Filters like those of a search for offers. Not in the specification. */
const searchVolumes: Endpoint<Readonly<Record<string, FieldFilter>>, VolumeOffer[]> = {
  operation: "search volumes",
  method: "POST",
  path: () => "/api/v0/volumes/search/",
  body: (filters) => filters,
  answer: z.looseObject({ offers: readableRows(volumeOfferSchema) }).transform((body) => body.offers),
  retry: "read",
  permission: "misc",
  intervalMs: 5500,
};

/** Each operation, under the same name as in the simulator. */
export const ENDPOINTS = {
  searchOffers,
  createInstance,
  getInstance,
  listInstances,
  listInstancesSeed,
  destroyInstance,
  requestLogs,
  currentUser,
  getApiKey,
  searchTemplates,
  listVolumes,
  searchVolumes,
} as const;
