import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { scaledClock } from "../clock/sim-clock.ts";
import { type Delivery, deliver } from "../http/deliver.ts";
import { serveHttp } from "../http/serve-http.ts";
import { type CompleteRegistry, RegistryScenario } from "../scenario/scenario.ts";
import { findConfig, findManifest } from "./manifests.ts";

/** One request; never what proves who asked. */
interface RegistryRequest {
  path: string;
  /** The scheme of its Authorization header. */
  authorization: string;
}

const MANIFEST_PATH = /^\/(?:elsewhere\/)?v2\/(?<name>.+)\/manifests\/(?<reference>[^/]+)$/;
const BLOB_PATH = /^\/(?<elsewhere>elsewhere\/)?v2\/(?<name>.+)\/blobs\/(?<digest>[^/]+)$/;
const INDEX = "application/vnd.oci.image.index.v1+json";

/** Sent instead of an answer; `status` depends on the scenario. */
const WRONG: Record<Exclude<NonNullable<CompleteRegistry["fault"]>["kind"], "status">, Sent> = {
  "never-answer": "silence",
  cut: "cut",
  "wrong-type": { status: 200, body: "<html>Sign in to this network</html>", type: "text/html" },
  junk: { status: 200, body: "{", type: INDEX },
  nonsense: { status: 200, body: { layers: "many", token: 7 }, type: INDEX },
  endless: { status: 200, body: { manifests: [], filler: "x".repeat(1_500_000) }, type: INDEX },
  "never-end": "no-end",
  deep: { status: 200, body: `${'{"manifests":['.repeat(1000)}${"]}".repeat(1000)}`, type: INDEX },
  redirect: { status: 307, body: {}, headers: { location: "/elsewhere/v2/a/manifests/latest" } },
};

interface Shop {
  scenario: CompleteRegistry;
  host: string;
  requests: RegistryRequest[];
  /** Tokens that it handed out. */
  tokens: Set<string>;
}

/** Listens on 127.0.0.1, on any free port, until it is disposed of; throws on a scenario that is not valid. */
export async function startRegistry(scenario: RegistryScenario = {}, clock = scaledClock()) {
  const shop: Shop = { scenario: RegistryScenario.parse(scenario), host: "", requests: [], tokens: new Set() };
  const server = await serveHttp({
    port: 0,
    handle: async ({ request, response, url }) => deliver(response, deliveryOf(answer(shop, request, url)), clock),
    // Nothing here can fail but a connection.
    failed: () => {},
  });
  shop.host = new URL(server.url).host;
  return {
    /** As it stands in front of an image's name: `127.0.0.1:5000`. */
    host: shop.host,
    /** Every request, in its order. */
    requests: shop.requests as readonly RegistryRequest[],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** An answer, or none. */
type Sent =
  | { status: number; body: unknown; type?: string; headers?: Record<string, string> }
  | "silence"
  | "cut"
  | "no-end";

function deliveryOf(sent: Sent): Delivery {
  if (sent === "cut" || sent === "silence") return { how: sent };
  const endless = { status: 200, headers: { "content-type": INDEX }, body: Buffer.from('{"manifests": [') };
  if (sent === "no-end") return { how: "dripped", answer: endless, seconds: 1_000_000 };
  const { status, body, type = "application/json", headers = {} } = sent;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = { status, headers: { "content-type": type, ...headers }, body: Buffer.from(text) };
  return { how: "answer", answer };
}

function answer(shop: Shop, request: IncomingMessage, { pathname, searchParams }: URL): Sent {
  const given = request.headers.authorization ?? "";
  shop.requests.push({ path: pathname, authorization: given.split(" ")[0] ?? "" });
  const blob = BLOB_PATH.exec(pathname)?.groups;
  const what = pathname === "/token" ? "token" : blob ? "config" : "manifest";
  const { fault } = shop.scenario;
  if (fault?.on === what)
    return { ...WRONG, status: { status: fault.status, body: "no", type: "text/plain" } }[fault.kind];
  if (what === "token") return giveToken(shop, given, searchParams.get("scope") ?? "");
  if (blob) return giveBlob(shop, given, blob);
  return giveManifest(shop, { pathname, given, accept: request.headers.accept ?? "" });
}

function giveManifest(shop: Shop, asked: { pathname: string; given: string; accept: string }): Sent {
  const { name = "", reference = "" } = MANIFEST_PATH.exec(asked.pathname)?.groups ?? {};
  if (name === "") return { status: 404, body: {} };
  if (!mayPull(shop, asked.given, name)) return refuse(shop, name);
  const manifest = isMissing(shop, name)
    ? undefined
    : findManifest(shop.scenario, { name, reference, accept: asked.accept });
  return manifest ? { status: 200, ...manifest } : { status: 404, body: { errors: [{ code: "MANIFEST_UNKNOWN" }] } };
}

/** Whoever brings an authorization to the place behind a redirect is refused, as stores of objects do. */
function giveBlob(
  shop: Shop,
  given: string,
  { elsewhere, name = "", digest = "" }: Record<string, string | undefined>,
): Sent {
  const isElsewhere = elsewhere !== undefined;
  if (isElsewhere && given !== "") return { status: 400, body: "Only one auth mechanism allowed" };
  if (!isElsewhere && !mayPull(shop, given, name)) return refuse(shop, name);
  if (!isElsewhere && shop.scenario.blobs === "elsewhere")
    return { status: 307, body: {}, headers: { location: `/elsewhere/v2/${name}/blobs/${digest}` } };
  const body = findConfig(shop.scenario, digest);
  return body === undefined
    ? { status: 404, body: { errors: [{ code: "BLOB_UNKNOWN" }] } }
    : { status: 200, body, type: "application/octet-stream" };
}

/** Each such answer is one less until the image is there. */
function isMissing({ scenario: { missing } }: Shop, name: string): boolean {
  const times = missing[name] ?? 0;
  missing[name] = times - 1;
  return times > 0;
}

function mayPull({ scenario, tokens }: Shop, given: string, name: string): boolean {
  if (scenario.asks === "login") return isLogin(scenario, given);
  return tokens.has(given.replace(/^Bearer /, `repository:${name}:pull `));
}

function isLogin({ login }: CompleteRegistry, given: string): boolean {
  if (login === undefined) return true;
  return given === `Basic ${Buffer.from(`${login.username}:${login.token}`).toString("base64")}`;
}

function refuse({ host, scenario }: Shop, name: string): Sent {
  const realm = scenario.realm ?? `http://${host}/token`;
  const bearer = `Bearer realm="${realm}",service="stand-in",scope="repository:${name}:pull"`;
  const header = scenario.asks === "login" ? 'Basic realm="stand-in"' : bearer;
  return { status: 401, body: { errors: [{ code: "UNAUTHORIZED" }] }, headers: { "www-authenticate": header } };
}

function giveToken({ scenario, tokens }: Shop, given: string, scope: string): Sent {
  if (!isLogin(scenario, given)) return { status: 401, body: { details: "incorrect username or password" } };
  const token = randomBytes(24).toString("base64url");
  tokens.add(`${scope} ${token}`);
  return { status: 200, body: { token, expires_in: 300 } };
}
