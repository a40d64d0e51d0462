import { createVerify } from "node:crypto";
import type { Answer } from "../../http/deliver.ts";
import { parseJson } from "../../http/read-body.ts";
import { json, notFound, refusal } from "../http/answer.ts";
import type { SetupCall, SetupRoute } from "../http/route.ts";
import { newAccount, newToken } from "../tokens.ts";
import type { App } from "./setup-world.ts";

/** The form of a manifest, sent. SPEC-SILENT: what GitHub answers to one that lacks a field. */
function postManifest({ world, query, body }: SetupCall): Answer {
  const manifest = JSON.parse(new URLSearchParams(body).get("manifest") ?? "null") as Record<string, unknown> | null;
  const redirect = manifest?.redirect_url;
  if (manifest === null || typeof redirect !== "string" || !manifest.name || !manifest.url)
    return refusal(422, "Invalid manifest");
  const back = new URL(redirect);
  back.searchParams.set("code", world.setup.makeApp(manifest));
  back.searchParams.set("state", query.get("state") ?? "");
  return { status: 302, headers: { location: back.href } };
}

/** A code is good once. */
function takeOver({ world, params }: SetupCall): Answer {
  const { code = "" } = params;
  const app = world.setup.codes.get(code);
  if (app === undefined) return notFound();
  world.setup.codes.delete(code);
  return json(201, {
    id: app.id,
    slug: app.slug,
    client_id: app.clientId,
    client_secret: "c".repeat(40),
    webhook_secret: null,
    pem: app.pem,
    name: app.manifest.name,
    html_url: `https://github.com/apps/${app.slug}`,
    permissions: app.manifest.default_permissions,
    events: [],
  });
}

/** Which app signed this sentence, for now. */
function appOf({ world, bearer }: SetupCall): App | undefined {
  const [head = "", said = "", signature = ""] = bearer?.split(".") ?? [];
  const { iss, exp, iat } = Object(parseJson(Buffer.from(said, "base64url").toString()));
  const now = Date.now() / 1000;
  const app = world.setup.apps.find(({ clientId }) => clientId === iss);
  const isTimely = Number(iat) <= now && Number(exp) > now && Number(exp) - Number(iat) <= 600;
  if (app === undefined || !isTimely) return undefined;
  const verify = createVerify("sha256").update(`${head}.${said}`);
  return verify.verify(app.publicKey, Buffer.from(signature, "base64url")) ? app : undefined;
}

/** What is for an app that has signed. */
function forApp(answer: (app: App, call: SetupCall) => Answer) {
  return (call: SetupCall) => {
    const app = appOf(call);
    return app === undefined ? refusal(401, "A JSON web token could not be decoded") : answer(app, call);
  };
}

const installation = forApp((app, { params }) => {
  const name = `${params.owner}/${params.repo}`.toLowerCase();
  return app.installedOn.has(name) ? json(200, { id: app.id + 1, app_id: app.id, app_slug: app.slug }) : notFound();
});

const accessToken = forApp((app, { params, world }) => {
  if (Number(params.id) !== app.id + 1) return notFound();
  const token = newToken("ghs_");
  const permissions = (app.manifest.default_permissions ?? {}) as Record<string, "read" | "write">;
  world.tokens.set(token, newAccount({ name: "app", kind: "integration", permissions }));
  return json(201, { token, expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions });
});

/** An app, from its form to its tokens; for anybody. */
export const APP_ROUTES: readonly SetupRoute[] = [
  { at: "POST /settings/apps/new", handle: postManifest },
  { at: "POST /organizations/:org/settings/apps/new", handle: postManifest },
  { at: "POST /app-manifests/:code/conversions", handle: takeOver },
  { at: "GET /repos/:owner/:repo/installation", handle: installation },
  { at: "POST /app/installations/:id/access_tokens", handle: accessToken },
];
