import type { AccountOperation, ServiceOperation } from "../../scenario/fault.ts";
import type { ServiceAnswer } from "./service-journal.ts";

interface Limit {
  /** The number in the answer's text. */
  threshold: string;
  /** So many calls are let through in any window of so many simulated seconds. */
  calls: number;
  seconds: number;
}

function every(seconds: number): Limit {
  return { threshold: seconds.toFixed(1), calls: 1, seconds };
}

/** As documented. SPEC-SILENT: editing and deleting a template, resetting a key; as their like. */
const ACCOUNT_LIMITS: Record<AccountOperation, Limit> = {
  searchTemplates: every(3),
  createTemplate: every(3),
  editTemplate: every(3),
  deleteTemplate: every(3),
  listTeamMembers: every(1),
  // Seed, Limits.
  removeTeamMember: every(3),
  listApiKeys: every(1),
  getApiKey: every(1),
  createApiKey: every(2),
  deleteApiKey: every(2),
  resetApiKey: every(2),
  listVariables: every(5),
};

/**
 * The documented intervals in seconds, per operation (not per address) and key.
 * SPEC-SILENT: lists without pages, the current user, logs and most of SSH keys have none; create's
 * "penalty: 12".
 */
const LIMITS: Record<ServiceOperation, Limit> = {
  ...ACCOUNT_LIMITS,
  searchOffers: { threshold: "10", calls: 10, seconds: 60 },
  createInstance: every(4.5),
  listInstances: every(1),
  getInstance: every(2),
  changeInstance: every(1),
  destroyInstance: every(3),
  currentUser: every(1),
  listCharges: every(1),
  requestLogs: every(1),
  // Files lie in a store of their own, not behind the interface.
  getLogFile: every(0),
  rebootInstance: every(1),
  recycleInstance: every(1),
  changeBid: every(5.5),
  attachSshKey: every(1),
  listInstanceSshKeys: every(1),
  detachSshKey: every(2),
  listInstanceFilters: every(1),
  listGpuNames: every(0),
  searchVolumes: every(5.5),
  listVolumes: every(5.5),
  createVolume: every(5.5),
  deleteVolume: every(5.5),
  listSshKeys: every(1),
  createSshKey: every(1),
  changeSshKey: every(1),
  deleteSshKey: every(1),
};

/** The list without pages is deprecated and "gives 429 readily". */
const LIST_WITHOUT_PAGES = every(4);

/** Keeps the minimum intervals between the calls of one key. */
export class RateLimits {
  /** Of the answers to calls that came too soon. */
  readonly form: TooFrequentForm;
  readonly #now: () => number;
  readonly #let: Map<string, number[]> = new Map();

  constructor(now: () => number, form: TooFrequentForm) {
    this.#now = now;
    this.form = form;
  }

  /** Counts a call; returns the limit that it breaks: then it is not executed, nor counted. */
  count(operation: ServiceOperation, who: { key: string; paged: boolean }): Limit | undefined {
    const unpaged = operation === "listInstances" && !who.paged;
    const limit = unpaged ? LIST_WITHOUT_PAGES : LIMITS[operation];
    const route = `${operation} ${unpaged} ${who.key}`;
    const now = this.#now();
    const recent = (this.#let.get(route) ?? []).filter((at) => now - at < limit.seconds * 1000);
    if (recent.length >= limit.calls) return limit;
    this.#let.set(route, [...recent, now]);
    return undefined;
  }
}

/** In what form a 429 comes; all three were seen. */
export type TooFrequentForm = "text" | "json" | "detail";

/** The answer to a call that came too soon. No Retry-After: the service sends none. */
export function tooFrequent({ threshold }: Pick<Limit, "threshold">, form: TooFrequentForm): ServiceAnswer {
  const sentence = `API requests too frequent: endpoint threshold=${threshold}`;
  if (form === "text") return { status: 429, text: `${sentence}*1.0` };
  if (form === "detail") return { status: 429, body: { detail: `${sentence}*1.0` } };
  return { status: 429, body: { success: false, error: "rate_limit_exceeded", msg: sentence } };
}
