import { createHash } from "node:crypto";
import { z } from "zod";
import { oneLine, withoutSecrets } from "../shared/foreign-text.ts";
import { HttpClient, isLoopback, loadHttp, type ProxySettings } from "../shared/http-client.ts";
import { readJson } from "../shared/json.ts";
import type { Log } from "../shared/log.ts";
import { AUTOMATIC_TAG, hostOf, type ImagePlace, type Login, readImageName, readLogin } from "./image-name.ts";

/** The types to accept. Without them a registry answers in a form of 2015 that has no sizes. */
const MANIFEST_TYPES = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
] as const;

/** A platform, as an index or a configuration names it (OCI image specification, image-index.md and config.md). */
const platformSchema = z.looseObject({
  os: z.string(),
  architecture: z.string(),
  variant: z.string().optional(),
});

/** Systems and architectures of Go's lists, which the specification refers to. */
const SYSTEM = /^(?:aix|android|darwin|freebsd|js|linux|netbsd|openbsd|solaris|wasip1|windows)$/;
const ARCHITECTURE = /^(?:386|amd64|arm|arm64|loong64|mips|mipsle|mips64|mips64le|ppc64|ppc64le|riscv64|s390x|wasm)$/;

const MACHINES = "linux/amd64";

/** Names the platforms if all are certainly not linux/amd64; `unknown` is what an index says of signatures. */
function onlyOthers(platforms: readonly (z.infer<typeof platformSchema> | undefined)[]): string | undefined {
  const images = platforms.filter((platform) => platform?.architecture !== "unknown");
  const names = images.map(({ os, architecture } = { os: "", architecture: "" }) =>
    SYSTEM.test(os) && ARCHITECTURE.test(architecture) ? `${os}/${architecture}` : MACHINES,
  );
  return names.length === 0 || names.includes(MACHINES) ? undefined : [...new Set(names)].slice(0, 6).join(", ");
}

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const blob = z.looseObject({ digest, size: z.int().min(0) });

/** The manifest of one image: its layers, compressed, and its configuration. */
const manifestSchema = z.looseObject({ layers: z.array(blob).min(1).max(1000), config: blob.optional() });

const indexSchema = z.looseObject({
  manifests: z.array(z.looseObject({ digest, platform: platformSchema.optional().catch(undefined) })).max(1000),
});

const tokenSchema = z.union([
  z.looseObject({ token: z.string().min(1) }).transform(({ token }) => token),
  z.looseObject({ access_token: z.string().min(1) }).transform(({ access_token }) => access_token),
]);

/** The meaning of an answer: a size in bytes, or the digest of the manifest to ask for next. */
type ManifestAnswer =
  | { kind: "size"; bytes: number; config?: string | undefined }
  | { kind: "index"; digest: string }
  /** None of its images is for linux/amd64. `only`: the platforms that they are for. */
  | { kind: "other-platform"; only: string }
  | { kind: "unusable"; why: string };

/** Reads a manifest, or an index of manifests. */
export function readManifest(json: unknown): ManifestAnswer {
  const index = indexSchema.safeParse(json).data;
  if (index) return choose(index.manifests);
  const manifest = manifestSchema.safeParse(json).data;
  return manifest ? sizeOf(manifest) : { kind: "unusable", why: "the answer is no manifest" };
}

/** Chooses the manifest that machines pull: linux/amd64 without a variant. */
function choose(manifests: z.infer<typeof indexSchema>["manifests"]): ManifestAnswer {
  const fit = manifests.filter(({ platform }) => platform?.os === "linux" && platform.architecture === "amd64");
  const chosen = fit.find(({ platform }) => platform?.variant === undefined) ?? fit[0];
  if (chosen !== undefined) return { kind: "index", digest: chosen.digest };
  const only = onlyOthers(manifests.map(({ platform }) => platform));
  if (only !== undefined) return { kind: "other-platform", only };
  return { kind: "unusable", why: "its index names no image for linux/amd64" };
}

/** Adds up a manifest's sizes. A layer that is listed twice is pulled once. */
function sizeOf({ layers, config }: z.infer<typeof manifestSchema>): ManifestAnswer {
  const blobs = new Map([...layers, ...(config ? [config] : [])].map((each) => [each.digest, each.size]));
  const bytes = [...blobs.values()].reduce((sum, size) => sum + size, 0);
  if (bytes <= 0 || !Number.isSafeInteger(bytes)) return { kind: "unusable", why: "its sizes can't be right" };
  return { kind: "size", bytes, config: config?.digest };
}

/** Reads the token in a token server's answer. */
export function readToken(json: unknown): string | undefined {
  const token = tokenSchema.safeParse(json).data;
  // It becomes a header: what can't stand in one is no token.
  return token !== undefined && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

/** Makes the header that proves a login. */
export function basicAuthorization({ username, token }: Login): string {
  return `Basic ${Buffer.from(`${username}:${token}`).toString("base64")}`;
}

/** What a registry wants: a token, to be fetched from an address, or the user's own login. */
type Challenge = { kind: "token"; url: URL } | { kind: "login" };

// Matches a parameter from the beginning of its name: to look for one at each letter takes minutes
// for a long word.
const PARAMETER = /(?<![a-z])([a-z]+)="([^"\\]*)"/gi;

/** Reads a registry's challenge; undefined if we must not obey it: https alone, or this machine's to this machine. */
export function readChallenge(header: string, registryHost: string): Challenge | undefined {
  if (/^basic\b/i.test(header)) return { kind: "login" };
  if (!/^bearer\b/i.test(header)) return undefined;
  const pairs = Array.from(header.matchAll(PARAMETER), ([, name = "", value = ""]) => [name.toLowerCase(), value]);
  const { realm = "", ...others }: Record<string, string> = Object.fromEntries(pairs);
  const url = URL.canParse(realm) ? new URL(realm) : undefined;
  if (url === undefined || !mayAsk(url, registryHost)) return undefined;
  for (const name of ["service", "scope"]) {
    const value = others[name];
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return { kind: "token", url };
}

function mayAsk(url: URL, registryHost: string): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (isLoopback(url.hostname)) return isLoopback(new URL(`http://${registryHost}`).hostname);
  return url.protocol === "https:";
}

type RegistryAnswer = Awaited<ReturnType<typeof get>>;

/** The longest answer that is read. A manifest has some kilobytes, an index of many platforms some dozen. */
const MOST_MANIFEST_BYTES = 1_000_000;

/** Sends a GET once and follows no redirect. Throws if no whole answer comes. */
async function get(url: URL, headers: Record<string, string>, { http, signal }: Asking) {
  const answer = await http.send(url, { method: "GET", headers, signal });
  return {
    status: answer.statusCode,
    /** Without parameters, in small letters. */
    contentType: headerText(answer.headers["content-type"]).replace(/;.*$/, "").trim().toLowerCase(),
    challenge: bearerFirst(answer.headers["www-authenticate"]),
    /** Where it says to look instead. */
    location: headerText(answer.headers.location),
    text: await answer.body.text(),
  };
}

function headerText(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? "";
}

/** Chooses the Bearer scheme if there is one: a registry may offer several, each in a header of its own. */
function bearerFirst(header: string | string[] | undefined): string {
  const all = [header ?? ""].flat();
  return all.find((each) => /^bearer\b/i.test(each)) ?? all[0] ?? "";
}

/** What a registry says of an image. */
export type ImageAnswer =
  /** Compressed, as it is downloaded for linux/amd64: all layers and the configuration. */
  | { kind: "found"; bytes: number }
  /** The registry's own word that there is none, or the platforms that it has it for: `only for linux/arm64`. */
  | { kind: "missing"; word: MissingWord | `only for ${string}` }
  /** 401 or 403: the login is wrong or missing, or there is no such image. */
  | { kind: "refused"; status: number }
  | { kind: "unknown" };

/** The error codes by which a registry says that there is no such image (OCI distribution specification, "Error codes"). */
const MISSING_WORDS = ["MANIFEST_UNKNOWN", "NAME_UNKNOWN"] as const;
type MissingWord = (typeof MISSING_WORDS)[number];

const errorsSchema = z.looseObject({ errors: z.array(z.looseObject({ code: z.string() })).max(100) });

/** Reads whether the registry itself says that it has no such image. A gateway's page does not count. */
function readMissing({ status, text }: Pick<RegistryAnswer, "status" | "text">): MissingWord | undefined {
  const codes = errorsSchema.safeParse(readJson(text)).data?.errors.map(({ code }) => code) ?? [];
  return status === 404 ? MISSING_WORDS.find((word) => codes.includes(word)) : undefined;
}

/** The tools of asking for an image. */
export interface AskImageOptions {
  /** `-u USER -p TOKEN REGISTRY`, or nothing. Used only where its registry is the image's. */
  login: string;
  log: Log;
  signal: AbortSignal;
  /** Called with every token that a registry gives, to mask it in the log. */
  mask?: (secret: string) => void;
  /** Proxies for other hosts than this one. */
  proxy?: ProxySettings | undefined;
  /** For all requests together, in milliseconds. */
  withinMs?: number;
}

const SIZE_WITHIN_MS = 5000;

/** Why a size is not known, in words that end a sentence. */
class NotKnown extends Error {
  override readonly name = "NotKnown";
  /** What the registry says of the image all the same. */
  readonly answer: ImageAnswer;

  constructor(why: string, answer: ImageAnswer = { kind: "unknown" }) {
    super(why);
    this.answer = answer;
  }

  /** Makes one of a status other than 200. */
  static ofStatus(status: number, why: string): NotKnown {
    return new NotKnown(why, status === 401 || status === 403 ? { kind: "refused", status } : { kind: "unknown" });
  }
}

/** Asks a registry for an image and its size. If that can't be known in time, the log says why. Never throws. */
export async function askImage(image: string, options: AskImageOptions): Promise<ImageAnswer> {
  const { log, signal, withinMs = SIZE_WITHIN_MS } = options;
  await loadHttp();
  const timeout = AbortSignal.timeout(withinMs);
  try {
    return {
      kind: "found",
      bytes: await askForSize(image, { ...options, signal: AbortSignal.any([signal, timeout]) }),
    };
  } catch (fault) {
    // A cancel needs no explanation of what else it cut.
    if (!signal.aborted)
      log.info(`The size of the image is not known: ${timeout.aborted ? "no answer in time" : why(fault)}.`);
    return fault instanceof NotKnown ? fault.answer : { kind: "unknown" };
  }
}

/** Says in one line why asking failed. Some network errors have only a code, such as ECONNREFUSED. */
function why(fault: unknown): string {
  const { code, message } = fault as { code?: unknown; message?: unknown };
  return oneLine(withoutSecrets(String(message || code || fault)), 120);
}

async function askForSize(image: string, options: AskImageOptions): Promise<number> {
  const place = readImageName(image);
  if (place === undefined) throw new NotKnown("its name is none that a registry can have");
  if (place.reference === AUTOMATIC_TAG)
    throw new NotKnown("the service picks the tag by the host, so how long it takes to pull is not known either");
  const { hostname } = new URL(`http://${hostOf(place.registry)}`);
  const http = new HttpClient({ hostname, proxy: options.proxy, mostBytes: MOST_MANIFEST_BYTES });
  try {
    return await new Questions({ ...options, place, http }).size();
  } finally {
    await http.close();
  }
}

/** What asking about one image takes. */
interface Asking extends AskImageOptions {
  place: ImagePlace;
  http: HttpClient;
}

/** Asks the questions about one image, and remembers the authorization for them. */
class Questions {
  readonly #asking: Asking;
  #authorization: string | undefined;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  async size(): Promise<number> {
    const first = await this.#manifest(this.#asking.place.reference);
    const last = first.kind === "index" ? await this.#manifest(first.digest) : first;
    const only = last.kind === "other-platform" ? last.only : await this.#otherPlatform(first);
    const word = `only for ${only}` as const;
    if (only !== undefined) throw new NotKnown(`it has no image for linux/amd64, ${word}`, { kind: "missing", word });
    if (last.kind === "size") return last.bytes;
    throw new NotKnown("its registry lists an index within an index");
  }

  async #manifest(reference: string) {
    const answer = await this.#getManifest(reference);
    const word = reference === this.#asking.place.reference ? readMissing(answer) : undefined;
    if (word !== undefined) throw new NotKnown(`its registry has no such image (${word})`, { kind: "missing", word });
    if (answer.status !== 200) throw NotKnown.ofStatus(answer.status, `its registry answered ${answer.status}`);
    if (!isManifestType(answer.contentType)) throw new NotKnown("its registry answered with something else");
    const read = readManifest(readJson(answer.text));
    if (read.kind === "unusable") throw new NotKnown(read.why);
    return read;
  }

  /** Returns the platform of an image without an index, if it is certainly not linux/amd64. No answer says nothing. */
  async #otherPlatform(manifest: ManifestAnswer): Promise<string | undefined> {
    if (manifest.kind !== "size" || manifest.config === undefined) return undefined;
    try {
      const { status, text } = await this.#getBlob(manifest.config);
      const isWhole = status === 200 && `sha256:${createHash("sha256").update(text).digest("hex")}` === manifest.config;
      return isWhole ? onlyOthers([platformSchema.safeParse(readJson(text)).data]) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Registries keep blobs elsewhere, and redirect there. The authorization stays behind. */
  async #getBlob(digest: string): Promise<RegistryAnswer> {
    const url = this.#url(`blobs/${digest}`);
    const answer = await get(url, this.#authorized({}), this.#asking);
    if (answer.status < 300 || answer.status > 399 || !URL.canParse(answer.location, url.href)) return answer;
    const elsewhere = new URL(answer.location, url);
    return mayAsk(elsewhere, url.host) ? await get(elsewhere, {}, this.#asking) : answer;
  }

  #url(path: string): URL {
    const { http, place } = this.#asking;
    return new URL(`/v2/${place.repository}/${path}`, `${http.isLocal ? "http" : "https"}://${hostOf(place.registry)}`);
  }

  #authorized(headers: Record<string, string>): Record<string, string> {
    return { ...headers, ...(this.#authorization && { authorization: this.#authorization }) };
  }

  async #getManifest(reference: string): Promise<RegistryAnswer> {
    const url = this.#url(`manifests/${reference}`);
    const ask = () => get(url, this.#authorized({ accept: MANIFEST_TYPES.join(", ") }), this.#asking);
    const answer = await ask();
    if (answer.status !== 401 || this.#authorization !== undefined) return answer;
    this.#authorization = await this.#authorize(answer.challenge, url.host);
    return await ask();
  }

  async #authorize(header: string, host: string): Promise<string> {
    const challenge = readChallenge(header, host);
    const { mask, place } = this.#asking;
    const login = readLogin(this.#asking.login);
    const basic = login?.registry === place.registry ? basicAuthorization(login) : undefined;
    if (basic !== undefined) mask?.(basic.slice("Basic ".length));
    if (challenge === undefined) throw new NotKnown("its registry asks for a login in a way that is not known here");
    if (challenge.kind === "login" && basic === undefined) throw NotKnown.ofStatus(401, "its registry wants a login");
    if (challenge.kind === "login") return String(basic);
    const headers = { accept: "application/json", ...(basic && { authorization: basic }) };
    const { status, text } = await get(challenge.url, headers, this.#asking);
    const token = status === 200 ? readToken(readJson(text)) : undefined;
    if (token === undefined) throw NotKnown.ofStatus(status, `its registry gave no token (${status})`);
    mask?.(token);
    return `Bearer ${token}`;
  }
}

/** True for a manifest. Some registries say plain JSON; any other type is a gateway's page. */
function isManifestType(contentType: string): boolean {
  return contentType === "application/json" || MANIFEST_TYPES.some((type) => type === contentType);
}
