import { oneLine } from "../shared/foreign-text.ts";
import { HttpClient, loadHttp, type ProxySettings } from "../shared/http-client.ts";
import type { Log } from "../shared/log.ts";
import { MANIFEST_TYPES, readManifest, readToken } from "./answers.ts";
import { readChallenge } from "./challenge.ts";
import { type Answer, get, MOST_BYTES } from "./get.ts";
import { hostOf, type ImagePlace, readImageName } from "./image-name.ts";
import { basicAuthorization, type Login, readLogin } from "./login.ts";

/** The tools of a question for a size. */
export interface ImageSizeOptions {
  /** `-u USER -p TOKEN REGISTRY`, or nothing. Used only where its registry is the image's. */
  login: string;
  log: Log;
  signal: AbortSignal;
  /** Told every token that a registry hands out. */
  mask?: (secret: string) => void;
  /** Proxies for other hosts than this one. */
  proxy?: ProxySettings | undefined;
  /** For all requests together, in milliseconds. */
  withinMs?: number;
}

const WITHIN_MS = 5000;

/** Why a size is not known, in words that end a sentence. */
class NotKnown extends Error {
  override readonly name = "NotKnown";
}

/**
 * The size of an image in bytes, as it is downloaded for linux/amd64: all layers, compressed, and
 * the configuration. Undefined, with one line in the log that says why, when its registry does not
 * tell it in time. Never throws.
 */
export async function askImageSize(image: string, options: ImageSizeOptions): Promise<number | undefined> {
  const { log, signal, withinMs = WITHIN_MS } = options;
  await loadHttp();
  const timeout = AbortSignal.timeout(withinMs);
  try {
    return await ask(image, options, AbortSignal.any([signal, timeout]));
  } catch (fault) {
    // A cancel needs no explanation of what else it cut.
    if (!signal.aborted)
      log.info(`The size of the image is not known: ${timeout.aborted ? "no answer in time" : why(fault)}.`);
    return undefined;
  }
}

/** Some network errors have only a code, such as ECONNREFUSED. */
function why(fault: unknown): string {
  const { code, message } = fault as { code?: unknown; message?: unknown };
  return oneLine(String(message || code || fault), 120);
}

async function ask(image: string, options: ImageSizeOptions, signal: AbortSignal): Promise<number> {
  const place = readImageName(image);
  if (place === undefined) throw new NotKnown("its name is none that a registry can have");
  const { hostname } = new URL(`http://${hostOf(place.registry)}`);
  const way = new HttpClient({ hostname, proxy: options.proxy, mostBytes: MOST_BYTES });
  try {
    return await new Questions(place, options, { way, signal }).size();
  } finally {
    await way.close();
  }
}

/** The questions about one image, with what they prove who asks. */
class Questions {
  readonly #place: ImagePlace;
  readonly #options: ImageSizeOptions;
  readonly #way: { way: HttpClient; signal: AbortSignal };
  readonly #login: Login | undefined;
  #authorization: string | undefined;

  constructor(place: ImagePlace, options: ImageSizeOptions, way: { way: HttpClient; signal: AbortSignal }) {
    this.#place = place;
    this.#options = options;
    this.#way = way;
    const login = readLogin(options.login);
    this.#login = login?.registry === place.registry ? login : undefined;
  }

  async size(): Promise<number> {
    const first = await this.#manifest(this.#place.reference);
    if (first.kind === "size") return first.bytes;
    const second = await this.#manifest(first.digest);
    if (second.kind === "size") return second.bytes;
    throw new NotKnown("its registry lists an index within an index");
  }

  async #manifest(reference: string) {
    const answer = await this.#getManifest(reference);
    if (answer.status !== 200) throw new NotKnown(`its registry answered ${answer.status}`);
    if (!isManifestType(answer.contentType)) throw new NotKnown("its registry answered with something else");
    const read = readManifest(answer.json);
    if (read.kind === "unusable") throw new NotKnown(read.why);
    return read;
  }

  async #getManifest(reference: string): Promise<Answer> {
    const host = hostOf(this.#place.registry);
    const url = new URL(
      `/v2/${this.#place.repository}/manifests/${reference}`,
      `${this.#way.way.isLocal ? "http" : "https"}://${host}`,
    );
    const accept = MANIFEST_TYPES.join(", ");
    const ask = () =>
      get(url, { accept, ...(this.#authorization && { authorization: this.#authorization }) }, this.#way);
    const answer = await ask();
    if (answer.status !== 401 || this.#authorization !== undefined) return answer;
    this.#authorization = await this.#authorize(answer.challenge, host);
    return await ask();
  }

  async #authorize(header: string, host: string): Promise<string> {
    const challenge = readChallenge(header, host);
    const basic = this.#login && basicAuthorization(this.#login);
    if (challenge === undefined) throw new NotKnown("its registry asks for a login in a way that is not known here");
    if (challenge.kind === "login" && basic === undefined) throw new NotKnown("its registry wants a login");
    if (challenge.kind === "login") return String(basic);
    const headers = { accept: "application/json", ...(basic && { authorization: basic }) };
    const { status, json } = await get(challenge.url, headers, this.#way);
    const token = status === 200 ? readToken(json) : undefined;
    if (token === undefined) throw new NotKnown(`its registry gave no token (${status})`);
    this.#options.mask?.(token);
    return `Bearer ${token}`;
  }
}

/** Some registries say plain JSON; anything else is a page of somebody in between. */
function isManifestType(contentType: string): boolean {
  return contentType === "application/json" || MANIFEST_TYPES.some((type) => type === contentType);
}
