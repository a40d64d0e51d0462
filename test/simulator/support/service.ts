import { z } from "zod";
import { type ServiceOptions, type ServiceSimulator, startService } from "../../../simulator/service/start-service.ts";
import { type HandClock, handClock } from "./hand-clock.ts";

/** An answer: the status, the body parsed where it is JSON, and the headers. */
export interface Reply {
  status: number;
  body: unknown;
  text: string;
  headers: Headers;
}

/** A service on a hand-wound clock, and calls to it. */
export interface UnderTest extends AsyncDisposable {
  sim: ServiceSimulator;
  clock: HandClock;
  /** Calls with the account's key; `key: null` sends none. Rejects when no whole answer comes. */
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: { key?: string | null; signal?: AbortSignal },
  ): Promise<Reply>;
  /** Creates on an offer; throws unless the answer is the one of the seed. */
  create(offer: number, body?: Record<string, unknown>): Promise<{ id: number; key: string }>;
  /** The instance by id, undefined where the answer says that it is gone. */
  instance(id: number): Promise<Record<string, unknown> | undefined>;
}

const Created = z.strictObject({
  success: z.literal(true),
  new_contract: z.int(),
  instance_api_key: z.string().min(1),
});
const Gotten = z.object({ instances: z.record(z.string(), z.unknown()).nullable() });

/** Starts a service of which nothing is left when the test ends. */
export async function underTest(options: Omit<ServiceOptions, "clock"> = {}): Promise<UnderTest> {
  const clock = handClock();
  const sim = await startService({ ...options, clock });
  const call: UnderTest["call"] = async (method, path, body, { key = sim.apiKey, signal } = {}) => {
    const headers = new Headers(key === null ? {} : { authorization: `Bearer ${key}` });
    if (body !== undefined) headers.set("content-type", "application/json");
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const init = { method, headers, body: text ?? null, signal: signal ?? null };
    return readReply(await fetch(sim.url + path, init));
  };
  return {
    sim,
    clock,
    call,
    create: async (offer, body = {}) => {
      const { body: answer } = await call("PUT", `/api/v0/asks/${offer}/`, { image: "debian:13", ...body });
      const { new_contract, instance_api_key } = Created.parse(answer);
      return { id: new_contract, key: instance_api_key };
    },
    instance: async (id) => {
      const { status, body } = await call("GET", `/api/v0/instances/${id}/`);
      return status === 404 ? undefined : (Gotten.parse(body).instances ?? undefined);
    },
    [Symbol.asyncDispose]: () => sim[Symbol.asyncDispose](),
  };
}

async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  return { status: response.status, body: parse(text), text, headers: response.headers };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
