// The only door to the client of the service and to the registries of images: what else setup/ needs of them is a method here.
import { z } from "zod";
import { AccountClient } from "../client/account.ts";
import { askImage, type ImageAnswer } from "../src/image/image-size.ts";
import { AuthenticationError, NotFoundError, PermissionError } from "../src/marketplace/errors.ts";
import { endpoint, reads } from "../src/marketplace/vast/endpoints.ts";
import { permissionsOf, type WireOffer } from "../src/marketplace/vast/schemas.ts";
import { sameName } from "../src/offers/gpu-names.ts";
import { systemClock } from "../src/shared/clock.ts";
import { parseDuration } from "../src/shared/duration.ts";
import { HttpClient, isLoopback } from "../src/shared/http-client.ts";
import { readProxy } from "../src/shared/proxy.ts";
import { UserError } from "../src/shared/user-error.ts";
import type { Context } from "./context.ts";
import { SetupError } from "./setup-error.ts";
import { environment } from "./surroundings.ts";

export type { WireOffer as Offer } from "../src/marketplace/vast/schemas.ts";

/** What the key for CI may do, and no more: search, read the credit, list instances, make and destroy them. */
export const CI_PERMISSIONS = ["misc", "user_read", "instance_read", "instance_write"] as const;

/** Who an account's key is. Undefined: the service does not tell. */
export interface Account {
  email: string | undefined;
  credit: number | undefined;
  isEmailVerified: boolean | undefined;
  /** What the asking key may do; undefined: all, or it can't be told. */
  permissions: string[] | undefined;
}

/** A key of the account, without its secret. */
export interface KeyRow {
  id: number;
  name: string | undefined;
  permissions: string[] | undefined;
}

/** Names of the account's own variables. Not in the specification. */
const listVariables = endpoint({
  ...reads("list environment variables", "user_read", 5000),
  request: () => ({ method: "GET", path: "/api/v0/secrets/" }),
  answer: z
    .looseObject({ secrets: z.record(z.string(), z.unknown()) })
    .transform(({ secrets }) => Object.keys(secrets)),
});

/** The service's address: https, or this very machine. */
export function serviceUrl(given: string | undefined): string {
  const url = given || "https://console.vast.ai";
  // Not URL.parse, which Node 20.12 lacks.
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && (parsed.protocol === "https:" || isLoopback(parsed.hostname))) return url;
  throw new SetupError(`RENTAL_API_URL must be an https address, not "${url}".`, "A key is sent there.");
}

/** The rental service, as far as set-up needs it, by one key. */
export class Service implements AsyncDisposable {
  readonly #client: AccountClient;

  constructor({ secrets, variable }: Pick<Context, "secrets" | "variable">, key: string) {
    const baseUrl = serviceUrl(variable("RENTAL_API_URL"));
    const mask = (secret: string) => void secrets.keep(secret);
    const proxy = readProxy(environment());
    this.#client = new AccountClient({ baseUrl, apiKey: secrets.keep(key), clock: systemClock, mask, proxy });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }

  /** Who the key is. Throws a SetupError for a key that the service does not take. */
  async account(): Promise<Account> {
    const user = await this.#client.currentUser().catch(refusedKey);
    const { email, credit, key_id, email_verified } = user as typeof user & { email_verified?: unknown };
    const key = key_id === undefined ? undefined : await this.#client.apiKeys.get(key_id).catch(unless(UserError));
    return {
      email,
      credit,
      isEmailVerified: typeof email_verified === "boolean" ? email_verified : undefined,
      permissions: key && permissionsOf(key),
    };
  }

  /** Names of the account's own variables; undefined where the service has no such list. */
  async variables(): Promise<string[] | undefined> {
    return await this.#client.call(listVariables, []).catch(unless(NotFoundError, PermissionError));
  }

  /** The account's living keys. */
  async keys(): Promise<KeyRow[]> {
    const rows = await this.#client.apiKeys.list();
    return rows.map((row) => ({ id: row.id, name: row.name, permissions: permissionsOf(row) }));
  }

  /** Makes the restricted key for CI; its secret is shown this once. */
  async makeKey(name: string): Promise<{ id: number; key: string }> {
    const api = Object.fromEntries(CI_PERMISSIONS.map((permission) => [permission, {}]));
    const { id, key } = await this.#client.apiKeys.create({ name, permissions: { api } });
    return { id, key };
  }

  /** Revokes a key; one that is gone already is fine. */
  async revokeKey(id: number): Promise<void> {
    await this.#client.apiKeys.delete(id).catch(unless(NotFoundError));
  }

  /** The cheapest 64 offers of one GPU that have between so many MB of its memory, and a disk of the action's size. */
  offers(memoryMb: { gte: number; lte: number }): Promise<WireOffer[]> {
    const is = (value: boolean | string | number) => ({ eq: value });
    const sound = { verified: is(true), reliability: { gte: 0.95 }, cpu_arch: is("amd64"), compute_cap: { gte: 700 } };
    const free = { rentable: is(true), rented: is(false), external: is(false), duration: { gte: 3 * 3600 } };
    return this.#client.searchOffers({
      filters: { num_gpus: is(1), ...sound, ...free, disk_space: { gte: 32 }, gpu_ram: memoryMb },
      type: "on-demand",
      order: [["dph_total", "asc"]],
      limit: 64,
      allocated_storage: 32,
    });
  }

  /** Proves that the key may list instances; gives their number. */
  async countInstances(): Promise<number> {
    return (await this.#client.listInstances()).length;
  }
}

/** Gives undefined in the place of a fault of these kinds. */
function unless(...kinds: readonly (new (...words: never[]) => Error)[]) {
  return (fault: unknown) => {
    if (!kinds.some((kind) => fault instanceof kind)) throw fault;
    return undefined;
  };
}

function refusedKey(fault: unknown): never {
  if (fault instanceof AuthenticationError)
    throw new SetupError(
      "The service does not take this key.",
      "Copy it anew from Keys in the service's console.",
      fault,
    );
  if (fault instanceof PermissionError)
    throw new SetupError(
      "This key may not read the account: it lacks user_read.",
      "Give the account's first key, which the service's console shows under Keys.",
      fault,
    );
  throw fault;
}

const MOST_BYTES = 1_000_000;

/** Sends one request, by the person's proxy if there is one. Follows no redirect. */
export async function sendOnce(url: URL, request: Parameters<HttpClient["send"]>[1]) {
  const http = new HttpClient({ hostname: url.hostname, proxy: readProxy(environment()), mostBytes: MOST_BYTES });
  try {
    const answer = await http.send(url, request);
    return { status: answer.statusCode, text: await answer.body.text() };
  } finally {
    await http.close();
  }
}

/** What an image's registry tells of it, and why where that is not its size. */
export async function lookUpImage(image: string): Promise<{ answer: ImageAnswer; why: string }> {
  let why = "";
  const log = { info: (line: string) => (why = line), warning: () => {}, error: () => {} };
  const answer = await askImage(image, {
    login: "",
    log: log as never,
    signal: AbortSignal.timeout(60_000),
    withinMs: 30_000,
    proxy: readProxy(environment()),
  });
  return { answer, why };
}

/** Which of the offered names of GPUs are meant: one in any spelling, or those that have a bare number as a word. */
export function namesMeant(written: string, offered: readonly string[]): string[] {
  const isNumber = /^\d+$/.test(written);
  return offered.filter((name) => sameName(name, written) || (isNumber && name.split(" ").includes(written)));
}

/** The minutes of a duration as inputs have it, such as `1h30m`; undefined for any other text. */
export function minutesOf(duration: string): number | undefined {
  const milliseconds = parseDuration(duration);
  return milliseconds === undefined ? undefined : Math.round(milliseconds / 60_000);
}

/** The way out that an error of the service's client names. */
export function hintOf(fault: unknown): string | undefined {
  if (fault instanceof SetupError) return fault.hint;
  return fault instanceof UserError ? fault.hint : undefined;
}

/** True for a fault that was foreseen, here or in the service's client. */
export function isForeseen(fault: unknown): fault is Error {
  return fault instanceof SetupError || fault instanceof UserError;
}
