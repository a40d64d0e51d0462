import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { scaledClock } from "../clock/sim-clock.ts";
import { type Answer, type Delivery, deliver } from "../http/deliver.ts";
import { serveHttp } from "../http/serve-http.ts";
import { type CompleteRegistry, RegistryScenario } from "../scenario/scenario.ts";
import { findConfig, findManifest, INDEX } from "./manifests.ts";

const MANIFEST_PATH = /^\/(?:elsewhere\/)?v2\/(?<name>.+)\/manifests\/(?<reference>[^/]+)$/;
const BLOB_PATH = /^\/(?<elsewhere>elsewhere\/)?v2\/(?<name>.+)\/blobs\/(?<digest>[^/]+)$/;

const typed = (text: string, type = INDEX): Answer => ({ status: 200, text, headers: { "content-type": type } });
const error = (status: number, code: string): Answer => ({ status, body: { errors: [{ code }] } });

/** Sent instead of an answer; `status` depends on the scenario. */
const WRONG: Record<Exclude<NonNullable<CompleteRegistry["fault"]>["kind"], "status">, Answer | Delivery> = {
  "never-answer": { how: "silence" },
  cut: { how: "cut" },
  "wrong-type": typed("<html>Sign in to this network</html>", "text/html"),
  junk: typed("{"),
  nonsense: typed(JSON.stringify({ layers: "many", token: 7 })),
  endless: typed(JSON.stringify({ manifests: [], filler: "x".repeat(1_500_000) })),
  "never-end": { how: "dripped", answer: typed('{"manifests": ['), seconds: 1_000_000 },
  deep: typed(`${'{"manifests":['.repeat(1000)}${"]}".repeat(1000)}`),
  redirect: { status: 307, body: {}, headers: { location: "/elsewhere/v2/a/manifests/latest" } },
};

interface Shop {
  scenario: CompleteRegistry;
  host: string;
  /** By the scheme of its Authorization header; never what proves who asked. */
  requests: { path: string; authorization: string }[];
  /** Tokens that it handed out. */
  tokens: Set<string>;
}

/** Listens on 127.0.0.1, on any free port, until it is disposed of; throws on a scenario that is not valid. */
export async function startRegistry(scenario: RegistryScenario = {}, clock = scaledClock()) {
  const shop: Shop = { scenario: RegistryScenario.parse(scenario), host: "", requests: [], tokens: new Set() };
  const server = await serveHttp({
    port: 0,
    async handle({ request, response, url }) {
      const sent = answer(shop, request, url);
      deliver(response, "how" in sent ? sent : { how: "answer", answer: sent }, clock);
    },
    // Nothing here can fail but a connection.
    failed: () => {},
  });
  shop.host = new URL(server.url).host;
  return {
    /** As it stands in front of an image's name: `127.0.0.1:5000`. */
    host: shop.host,
    /** Every request, in its order. */
    requests: shop.requests as Readonly<Shop["requests"]>,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function answer(shop: Shop, request: IncomingMessage, { pathname, searchParams }: URL): Answer | Delivery {
  const given = request.headers.authorization ?? "";
  shop.requests.push({ path: pathname, authorization: given.split(" ")[0] ?? "" });
  const blob = BLOB_PATH.exec(pathname)?.groups;
  const what = pathname === "/token" ? "token" : blob === undefined ? "manifest" : "config";
  const { fault } = shop.scenario;
  if (fault?.on === what) return { ...WRONG, status: { status: fault.status, text: "no" } }[fault.kind];
  if (what === "token") return giveToken(shop, given, searchParams.get("scope") ?? "");
  if (blob) return giveBlob(shop, given, blob);
  return giveManifest(shop, given, { pathname, accept: request.headers.accept ?? "" });
}

function giveManifest(shop: Shop, given: string, asked: { pathname: string; accept: string }): Answer {
  const { name = "", reference = "" } = MANIFEST_PATH.exec(asked.pathname)?.groups ?? {};
  if (name === "") return { status: 404, body: {} };
  const wanted = { name, reference, accept: asked.accept };
  if (!mayPull(shop, given, name)) return refuse(shop, name);
  const manifest = isMissing(shop, name) ? undefined : findManifest(shop.scenario, wanted);
  return manifest ? typed(JSON.stringify(manifest.body), manifest.type) : error(404, "MANIFEST_UNKNOWN");
}

/** Whoever brings an authorization to the place behind a redirect is refused, as stores of objects do. */
function giveBlob(shop: Shop, given: string, asked: Record<string, string | undefined>): Answer {
  const { elsewhere, name = "", digest = "" } = asked;
  const isElsewhere = elsewhere !== undefined;
  if (isElsewhere && given !== "") return { status: 400, text: "Only one auth mechanism allowed" };
  if (!isElsewhere && !mayPull(shop, given, name)) return refuse(shop, name);
  if (!isElsewhere && shop.scenario.blobs === "elsewhere")
    return { status: 307, body: {}, headers: { location: `/elsewhere/v2/${name}/blobs/${digest}` } };
  const config = findConfig(shop.scenario, digest);
  return config === undefined ? error(404, "BLOB_UNKNOWN") : typed(config, "application/octet-stream");
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

function refuse({ host, scenario }: Shop, name: string): Answer {
  const realm = scenario.realm ?? `http://${host}/token`;
  const bearer = `Bearer realm="${realm}",service="stand-in",scope="repository:${name}:pull"`;
  const header = scenario.asks === "login" ? 'Basic realm="stand-in"' : bearer;
  return { ...error(401, "UNAUTHORIZED"), headers: { "www-authenticate": header } };
}

function giveToken({ scenario, tokens }: Shop, given: string, scope: string): Answer {
  if (!isLogin(scenario, given)) return { status: 401, body: { details: "incorrect username or password" } };
  const token = randomBytes(24).toString("base64url");
  tokens.add(`${scope} ${token}`);
  return { status: 200, body: { token, expires_in: 300 } };
}
