import type { getOctokit } from "@actions/github";
import { z } from "zod";
import type { Clock } from "../shared/clock.ts";
import { HOUR_MS } from "../shared/duration.ts";
import { oneLine, withoutSecrets } from "../shared/foreign-text.ts";
import { isTooDeep } from "../shared/json.ts";
import { GithubRefusedError, GithubTokenError, GithubUnavailableError, type TokenNeed } from "./github-errors.ts";
import { refusalRow } from "./refusals.ts";

/** How to reach one repository of GitHub or of a GitHub Enterprise Server, with one token. */
export interface GithubOptions {
  /** `GITHUB_API_URL`. */
  apiUrl: string;
  token: string;
  owner: string;
  repo: string;
  clock: Clock;
  /** The end of all waiting for answers, in milliseconds since the epoch. */
  until?: number | undefined;
}

/** One call: what the token needs for it, GitHub's documented route, and the route's parameters. */
export interface GithubCall {
  need: TokenNeed;
  route: string;
  parameters?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** The statuses other than 2xx that count as an answer, not as a fault. */
  expected?: readonly number[];
  /** Set if a redirect is the answer, and shall not be followed. */
  redirect?: "manual";
  signal?: AbortSignal | undefined;
}

/** An answer that was expected. The names of headers are in small letters. */
export interface GithubAnswer {
  status: number;
  data: unknown;
  headers: Readonly<Record<string, unknown>>;
}

/** Rows of a page, the most that GitHub gives. */
export const PAGE_SIZE = 100;
const API_VERSION = "2022-11-28";
const GITHUB_ANSWERS_WITHIN_MS = 20_000;
const A_PAGE = "a page came, as of a gateway or a guest network, and no answer of GitHub's";
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Sends requests to GitHub. Each kind of failure has an error of its own: the token is at fault, the
 * request is, or there was no answer, which is no evidence of anything.
 */
export class GithubClient {
  readonly clock: Clock;
  readonly repository: string;
  readonly owner: string;
  readonly #options: GithubOptions;
  readonly #quiet = new RateLimitQuiet();
  #remaining: number | undefined;
  #workedAt: number | undefined;
  #octokit: ReturnType<typeof getOctokit> | undefined;

  constructor(options: GithubOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.owner = options.owner;
    this.repository = `${options.owner}/${options.repo}`;
  }

  /** How many requests the token has left in this hour. Undefined: no answer came yet, or there is no limit. */
  get requestsLeft(): number | undefined {
    return this.#remaining;
  }

  /** Sends a request once, owner and repo filled in. While the rate limit asks for a pause, it only throws. */
  async request(call: GithubCall): Promise<GithubAnswer> {
    const { token } = this.#options;
    // Post may have no token, for which octokit throws what looks like a bug.
    if (token === "") throw new GithubTokenError(call.need, undefined, "it is empty, or can't be a token");
    const waitMs = this.#quiet.leftMs(this.clock.now());
    const seconds = Math.ceil(waitMs / 1000);
    const why = `its rate limit: GitHub wants to be asked again in ${seconds} s`;
    if (waitMs > 0) throw new GithubUnavailableError(call.need.task, why, { waitMs });
    // Before the time for an answer begins: on a busy machine loading takes a while.
    const octokit = await this.#connect();
    const timeLeftMs = (this.#options.until ?? Number.POSITIVE_INFINITY) - this.clock.now();
    const timeout = AbortSignal.timeout(Math.max(0, Math.min(GITHUB_ANSWERS_WITHIN_MS, timeLeftMs)));
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    try {
      const answer = await octokit.request(call.route, {
        ...this.#parametersOf(call),
        request: {
          signal,
          log: SILENT,
          fetch: boundedFetch(octokit),
          ...(call.redirect && { redirect: call.redirect }),
        },
      });
      this.#note(answer);
      this.#workedAt = this.clock.now();
      return answerOf(answer);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (isRefusal(error)) this.#note(error.response, error);
      return judgeFailure(call, error, this.#quiet.leftMs(this.clock.now()), this.#workedAt);
    }
  }

  #parametersOf({ headers, parameters, route }: GithubCall): Record<string, unknown> {
    const { owner, repo } = this.#options;
    return {
      owner,
      // An organisation's routes name no repository; what a route does not name would be sent as
      // a parameter.
      ...(route.includes("{repo}") ? { repo } : {}),
      ...parameters,
      headers: { "x-github-api-version": API_VERSION, ...headers },
    };
  }

  #note({ headers = {} }: Partial<GithubAnswer> = {}, refusal?: RefusedCall): void {
    const left = Number(headers["x-ratelimit-remaining"] ?? Number.NaN);
    if (Number.isFinite(left)) this.#remaining = left;
    if (refusal !== undefined && isRateLimit(refusal.status, headers, refusal.message))
      this.#quiet.note(headers, this.clock.now());
  }

  async #connect(): Promise<ReturnType<typeof getOctokit>> {
    // Loaded when first needed: half of the bundle is octokit, and post's first DELETE must not
    // wait for it.
    const github = await import("@actions/github");
    const { token, apiUrl } = this.#options;
    this.#octokit ??= github.getOctokit(token, { baseUrl: apiUrl.replace(/\/+$/, ""), log: SILENT });
    return this.#octokit;
  }
}

/** The longest answer that is read: a page of a hundred jobs has some 500 KB. */
const MOST_GITHUB_BYTES = 4_000_000;

/** Wraps what octokit sends requests by, with its proxy, so that an answer that is too long or too deep is no answer. */
function boundedFetch(octokit: ReturnType<typeof getOctokit>): typeof fetch {
  const send: typeof fetch = octokit.request.endpoint.DEFAULTS.request?.fetch ?? fetch;
  return async (...request) => {
    const answer = await send(...request);
    const { headers, status } = answer;
    if (answer.body === null) return answer;
    const text = await wholeText(answer.body);
    if (isTooDeep(text)) throw new Error("its answer is nested too deep");
    return new Response(text, { headers, status });
  };
}

/** Reads a body to its end. Throws, and leaves the rest unread, where it is too long. */
async function wholeText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MOST_GITHUB_BYTES) throw new Error(`its answer has more than ${MOST_GITHUB_BYTES / 1e6} MB`);
  }
  return Buffer.concat(chunks).toString();
}

interface RefusedCall {
  status: number;
  message: string;
  response?: Partial<GithubAnswer>;
}

/** Returns an answer without octokit's own fields. The body of a redirect is dropped: it is no answer. */
function answerOf({ data, headers, status }: GithubAnswer): GithubAnswer {
  if (status >= 300) return { status, data: "", headers };
  if (data !== "" && isPage(data)) throw new Error(A_PAGE);
  return { status, data, headers };
}

/**
 * Judges a failed request: returns an answer if its status was expected, else throws the error for its cause.
 * `waitMs`: how long the rate limit asks to send nothing. `workedAt`: when the token was last good.
 */
export function judgeFailure(call: GithubCall, error: unknown, waitMs: number, workedAt?: number): GithubAnswer {
  if (!isRefusal(error) || error.response === undefined) {
    const why = oneLine(withoutSecrets(error instanceof Error ? error.message : String(error)));
    throw new GithubUnavailableError(call.need.task, why, { cause: error });
  }
  const { status, response } = error;
  const headers = response.headers ?? {};
  const isExpected = call.expected?.includes(status) === true;
  // Whatever its status: it is not GitHub that refuses then.
  if (status >= 400 && isPage(response.data)) throw new GithubUnavailableError(call.need.task, A_PAGE);
  if (isExpected) return { status, data: response.data, headers };
  const sentence = sentenceOf(response.data, error.message);
  // A fault of GitHub's own or a rate limit passes, and is no evidence of anything.
  if (status >= 500 || isRateLimit(status, headers, sentence))
    throw new GithubUnavailableError(call.need.task, `${status}: ${sentence}`, { waitMs });
  throw githubRefusal(call.need, status, sentence, workedAt);
}

function githubRefusal(need: TokenNeed, status: number, sentence: string, workedAt?: number) {
  const isOfToken = status === 401 || status === 404 || (status === 403 && !refusalRow(sentence)?.isOfTask);
  if (isOfToken) return new GithubTokenError(need, status, sentence, workedAt);
  return new GithubRefusedError(need.task, status, sentence);
}

function isRefusal(error: unknown): error is RefusedCall {
  return error instanceof Error && typeof (error as Partial<RefusedCall>).status === "number";
}

/** True for an answer that is not JSON: it is no evidence of anything, whatever its status. */
function isPage(data: unknown): boolean {
  return typeof data !== "object" || data instanceof ArrayBuffer;
}

/** Returns in one line what a refusal says: its message, and its list of errors. `otherwise`: if it says nothing. */
export function sentenceOf(data: unknown, otherwise: string): string {
  const { errors = [], message } = refusalSchema.safeParse(data).data ?? {};
  const said = message === undefined ? otherwise : [message, ...errors].join(": ");
  return oneLine(withoutSecrets(said)) || "no reason given";
}

const oneError = z.union([z.string(), z.looseObject({ message: z.string() }).transform(({ message }) => message)]);
const refusalSchema = z.looseObject({
  message: z.string(),
  errors: z.array(oneError).optional().catch(undefined),
});

/** Reads with ETags: GitHub doesn't count a 304 against the rate limit. */
export class ConditionalReads {
  readonly #client: GithubClient;
  readonly #known = new Map<string, { etag: string; answer: GithubAnswer }>();
  /** When each answer of the last hour came that counts, in milliseconds since the epoch. */
  #countedAt: number[] = [];

  constructor(client: GithubClient) {
    this.#client = client;
  }

  /** How many answers of the last hour count against the rate limit. */
  get counted(): number {
    return this.#lastHour().length;
  }

  /** Returns the answer to a GET. After a 304 that is the remembered answer, with the headers of the new one. */
  async read(call: GithubCall): Promise<GithubAnswer> {
    const key = JSON.stringify([call.route, call.parameters]);
    const known = this.#known.get(key);
    const answer = await this.#client.request({
      ...call,
      headers: known ? { "if-none-match": known.etag } : {},
      expected: [304, ...(call.expected ?? [])],
    });
    if (answer.status === 304 && known) return { ...known.answer, headers: answer.headers };
    this.#countedAt = [...this.#lastHour(), this.#client.clock.now()];
    const { etag } = answer.headers;
    if (answer.status === 200 && typeof etag === "string") this.#known.set(key, { etag, answer });
    else this.#known.delete(key);
    return answer;
  }

  #lastHour(): number[] {
    const since = this.#client.clock.now() - HOUR_MS;
    return this.#countedAt.filter((at) => at > since);
  }
}

/** The secondary limit often names no moment. GitHub's documentation asks for a minute then. */
const UNTOLD_MS = 60_000;

/** True for a refusal by the rate limit: a 429, or a 403 with a header or a sentence about it. */
export function isRateLimit(status: number, headers: GithubAnswer["headers"], sentence: string): boolean {
  const isUsedUp = String(headers["x-ratelimit-remaining"]) === "0" || headers["retry-after"] !== undefined;
  return status === 429 || (status === 403 && (isUsedUp || /rate limit/i.test(sentence)));
}

/** Holds requests back for as long as GitHub asks: whoever goes on asking is locked out for longer. */
export class RateLimitQuiet {
  #until = 0;

  /** Notes that the rate limit refused a request. */
  note(headers: GithubAnswer["headers"], now: number): void {
    const resetMs = Number(headers["x-ratelimit-reset"] ?? Number.NaN) * 1000 - Date.parse(String(headers.date));
    const isUsedUp = String(headers["x-ratelimit-remaining"]) === "0";
    const ifUntold = isUsedUp ? resetMs : UNTOLD_MS;
    const asked = [Number(headers["retry-after"]) * 1000, ifUntold].find((ms) => ms > 0) ?? 0;
    this.#until = now + Math.min(HOUR_MS, asked);
  }

  /** Returns how much longer nothing may be sent, in milliseconds. */
  leftMs(now: number): number {
    const left = this.#until - now;
    // More than the longest: the clock was set back meanwhile.
    return left > HOUR_MS ? 0 : Math.max(0, left);
  }
}

/** Sends a request and reads the answer's data. Throws what GithubClient and readAnswer throw. */
export async function read<T>(client: GithubClient, schema: z.ZodType<T>, call: GithubCall): Promise<T> {
  return readAnswer(schema, await client.request(call), call.need.task);
}

/** Sends a request and reads the answer's data; undefined if GitHub answers 404. */
export async function readIfThere<T>(
  client: GithubClient,
  schema: z.ZodType<T>,
  call: GithubCall,
): Promise<T | undefined> {
  const answer = await client.request({ ...call, expected: [404] });
  return answer.status === 404 ? undefined : readAnswer(schema, answer, call.need.task);
}

/** Reads an answer's data. Throws GithubUnavailableError if it has another form: such an answer is no evidence. */
export function readAnswer<T>(schema: z.ZodType<T>, { data }: GithubAnswer, task: string): T {
  const read = schema.safeParse(data);
  if (!read.success) throw new GithubUnavailableError(task, "the answer could not be read");
  return read.data;
}

/** Reads a field that may be missing or null. */
export function optional<T>(type: z.ZodType<T>) {
  return type.nullish().transform((value) => value ?? undefined);
}

/** Reads a text of people's or of GitHub's own. */
export const foreignText = z.string().transform(withoutSecrets);

/** Reads a text; undefined if it is missing. */
export const optionalText = optional(z.string());

/** Reads a date as milliseconds since the epoch; undefined if it is missing. */
export const moment = optional(z.string()).transform((text) => Date.parse(text ?? "") || undefined);
