import type { GithubAnswer, GithubCall } from "../../src/github/github-client.ts";
import { GithubClient, isRateLimit, judgeFailure, RateLimitQuiet } from "../../src/github/github-client.ts";
import { GithubUnavailableError } from "../../src/github/github-errors.ts";
import { type Connection, ServicePace } from "../../src/marketplace/vast/connection.ts";
import { tooFastWait } from "../../src/marketplace/vast/refusals.ts";
import { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../src/marketplace/vast/vast-marketplace.ts";
import type { Outside } from "./outside.ts";

// The real clients of the service and of GitHub, but for the way there.

/** A real client of the service, whose connection is the world's. */
export function serviceOf(
  { askService, clock, mutation }: Pick<Outside, "askService" | "clock" | "mutation">,
  of: "main" | "post" | "sweep",
  until = Number.POSITIVE_INFINITY,
): VastMarketplace {
  const pace = new ServicePace(clock);
  const connection: Pick<Connection, "exchange" | "until" | "isLocal" | "close"> = {
    isLocal: true,
    until,
    exchange: async (outgoing, signals = {}) => {
      const { intervalMs, operation } = outgoing;
      await pace.turn(operation, { intervalMs, until, signal: signals.before });
      signals.before?.throwIfAborted();
      signals.onSend?.();
      const answer = await orAborted(askService(outgoing), signals.way);
      pace.note(operation, tooFastWait(answer, outgoing));
      return answer;
    },
    close: async () => {},
  };
  // The class has private fields, so no other object has its type.
  const client = new ServiceClient({ baseUrl: "http://127.0.0.1:1", apiKey: "key", clock }, connection as Connection);
  // A machine's output decides nothing.
  client.requestLogs = async () => "";
  mutation?.service?.(client, of);
  return new VastMarketplace(client);
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  return await new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    // Asking may itself have ended main: what it comes to is then nobody's.
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** A real client of GitHub, but for the way there. */
export class ClientInWorld extends GithubClient {
  readonly #outside: Outside;
  readonly #token: "github-token" | "job-token";
  readonly #limit = new RateLimitQuiet();

  constructor(outside: Outside, token: "github-token" | "job-token") {
    super({ apiUrl: "http://127.0.0.1:1", token: "a token", owner: "o", repo: "r", clock: outside.clock });
    this.#outside = outside;
    this.#token = token;
  }

  override async request(call: GithubCall): Promise<GithubAnswer> {
    call.signal?.throwIfAborted();
    const now = this.clock.now();
    if (this.#limit.leftMs(now) > 0) throw new GithubUnavailableError(call.need.task, "its rate limit");
    const [method = "GET", route = ""] = call.route.split(" ");
    const given: Record<string, unknown> = { owner: "o", repo: "r", ...call.parameters };
    const path = route.replace(/\{(\w+)\}/g, (_, name: string) => String(given[name]));
    const etag = call.headers?.["if-none-match"];
    const asking = this.#outside.askGithub({ token: this.#token, method, path, parameters: given, etag });
    const said = await orAborted(asking, call.signal);
    if (said === undefined) throw new GithubUnavailableError(call.need.task, "no answer");
    const { data, headers, status } = said;
    if (status >= 400 && isRateLimit(status, headers, "")) this.#limit.note(headers, now);
    const refusal = Object.assign(new Error("refused"), { status, response: { data, headers } });
    if (status >= 300) return judgeFailure(call, refusal, this.#limit.leftMs(now));
    if (typeof data !== "object") throw new GithubUnavailableError(call.need.task, "a page came");
    return { status, data, headers };
  }
}
