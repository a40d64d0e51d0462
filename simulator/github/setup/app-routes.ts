import { createVerify } from "node:crypto";
import type { Answer } from "../../http/deliver.ts";
import { json, notFound, refusal } from "../http/answer.ts";
import type { SetupCall, SetupRoute } from "../http/route.ts";
import { newToken } from "../tokens.ts";
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
  const { iss, exp, iat } = readPart(said);
  const now = Date.now() / 1000;
  const app = world.setup.apps.find(({ clientId }) => clientId === iss);
  const isTimely = Number(iat) <= now && Number(exp) > now && Number(exp) - Number(iat) <= 600;
  if (app === undefined || !isTimely) return undefined;
  const verify = createVerify("sha256").update(`${head}.${said}`);
  return verify.verify(app.publicKey, Buffer.from(signature, "base64url")) ? app : undefined;
}

function readPart(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const NO_JWT = "A JSON web token could not be decoded";

function installation(call: SetupCall): Answer {
  const app = appOf(call);
  if (app === undefined) return refusal(401, NO_JWT);
  const name = `${call.params.owner}/${call.params.repo}`.toLowerCase();
  return app.installedOn.has(name) ? json(200, { id: app.id + 1, app_id: app.id, app_slug: app.slug }) : notFound();
}

function accessToken(call: SetupCall): Answer {
  const app = appOf(call);
  if (app === undefined) return refusal(401, NO_JWT);
  if (Number(call.params.id) !== app.id + 1) return notFound();
  const token = newToken("ghs_");
  const permissions = (app.manifest.default_permissions ?? {}) as Record<string, "read" | "write">;
  call.world.tokens.add(token, { name: "app", kind: "integration", permissions });
  return json(201, { token, expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions });
}

/** An app, from its form to its tokens; for anybody. */
export const APP_ROUTES: readonly SetupRoute[] = [
  { at: "POST /settings/apps/new", handle: postManifest },
  { at: "POST /organizations/:org/settings/apps/new", handle: postManifest },
  { at: "POST /app-manifests/:code/conversions", handle: takeOver },
  { at: "GET /repos/:owner/:repo/installation", handle: installation },
  { at: "POST /app/installations/:id/access_tokens", handle: accessToken },
];
