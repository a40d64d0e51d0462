import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import type { Context } from "./context.ts";
import { found, GithubError, type GithubRequest, repositoryPath } from "./gh.ts";
import { sendOnce } from "./service.ts";
import { SetupError } from "./setup-error.ts";

/** What proves an app: its id, and its key. */
export interface AppProof {
  client_id: string;
  pem: string;
}

/** An app that was just made; its key is shown this once. */
export interface MadeApp extends AppProof {
  slug: string;
}

/** Takes over the app that a page has just made, by the code that it answered. */
export async function takeOver(asking: Asking, code: string): Promise<MadeApp> {
  const path = `app-manifests/${encodeURIComponent(code)}/conversions`;
  const request = { method: "POST", path, to: "hand over the app" } as const;
  const made = await ask<MadeApp & { client_secret?: string; webhook_secret?: string | null }>(asking, request);
  for (const secret of [made.pem, made.client_secret, made.webhook_secret]) if (secret) asking.secrets.keep(secret);
  return made;
}

/** The id of its installation on a repository; undefined: it is not installed there. */
export async function installationOn(asking: Asking, repository: string, app: AppProof): Promise<number | undefined> {
  const request = { path: `${repositoryPath(repository)}/installation`, to: "show the installation" };
  return (await found(ask<{ id: number }>(asking, request, app)))?.id;
}

/** A token of an hour, with one right on one repository alone. */
export async function tokenFor(
  asking: Asking,
  { repository, right, installation }: { repository: string; right: string; installation: number },
  app: AppProof,
): Promise<string> {
  const body = { repositories: [repository.split("/")[1]], permissions: { [right]: "write" } };
  const path = `app/installations/${installation}/access_tokens`;
  const request = { method: "POST", path, body, to: "give the app a token" } as const;
  const { token } = await ask<{ token: string }>(asking, request, app);
  return asking.secrets.keep(token);
}

type Asking = Pick<Context, "places" | "secrets">;

/** Asks what only an app itself may ask: gh has no way to send an app's proof. */
async function ask<T>({ places, secrets }: Asking, request: GithubRequest, app?: AppProof): Promise<T> {
  const { method = "GET", path, body, to } = request;
  const headers = {
    accept: "application/vnd.github+json",
    "user-agent": "ephemeral-gpu-runner-setup",
    ...(app !== undefined && { authorization: `Bearer ${secrets.keep(proofOf(app))}` }),
  };
  const sent = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
  const signal = AbortSignal.timeout(30_000);
  const { status, text } = await sendOnce(new URL(`${places.api}/${path}`), { ...sent, signal }).catch((fault) => {
    throw new SetupError(`GitHub gave no answer when it was to ${to}.`, "Run this again.", fault);
  });
  if (status < 200 || status > 299) throw new GithubError(to, status, text.slice(0, 200));
  return JSON.parse(text) as T;
}

/** A signed sentence that says which app asks; good for some minutes. */
function proofOf({ client_id, pem }: AppProof): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const said = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iat: now - 60, exp: now + 540, iss: client_id })}`;
  return `${said}.${sign("sha256", Buffer.from(said), privateKey(pem)).toString("base64url")}`;
}

/** Reads an app's key. Throws SetupError if it is none. */
export function privateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (fault) {
    throw new SetupError(
      "APP_PRIVATE_KEY is no private key.",
      "It is the whole text of the .pem file, with its first and last line.",
      fault,
    );
  }
}
