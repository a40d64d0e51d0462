import { createPrivateKey, sign } from "node:crypto";
import { repositoryPath } from "./gh.ts";
import type { Secrets } from "./screen.ts";
import { sendOnce } from "./service.ts";
import { SetupError } from "./setup-error.ts";

/** An app that was just made; its key is shown this once. */
export interface MadeApp {
  id: number;
  slug: string;
  client_id: string;
  pem: string;
  html_url: string;
}

/** Where GitHub is: its interface, and its pages. */
export interface GithubPlaces {
  api: string;
  web: string;
}

interface Answer {
  status: number;
  text: string;
}

/** What proves an app: its id, and its key. */
export type AppProof = Pick<MadeApp, "client_id" | "pem">;

interface Request {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: unknown;
  to: string;
  token?: string;
}

/** What only an app itself may ask of GitHub: gh has no way to send an app's proof. */
export class AppApi {
  readonly #places: GithubPlaces;
  readonly #secrets: Secrets;

  constructor(places: GithubPlaces, secrets: Secrets) {
    this.#places = places;
    this.#secrets = secrets;
  }

  /** Takes over the app that a page has just made, by the code that it answered. */
  async takeOver(code: string): Promise<MadeApp> {
    const path = `/app-manifests/${encodeURIComponent(code)}/conversions`;
    const made = await this.#ask<MadeApp & { client_secret?: string; webhook_secret?: string | null }>({
      method: "POST",
      path,
      to: "hand over the app",
    });
    for (const secret of [made.pem, made.client_secret, made.webhook_secret]) if (secret) this.#secrets.keep(secret);
    return made;
  }

  /** The id of its installation on a repository; undefined: it is not installed there. */
  async installationOn(repository: string, app: AppProof): Promise<number | undefined> {
    const path = `/${repositoryPath(repository)}/installation`;
    const answer = await this.#send({ method: "GET", path, to: "show the installation", token: this.#proof(app) });
    if (answer.status === 404) return undefined;
    return this.#read<{ id: number }>(answer, "show the installation").id;
  }

  /** A token of an hour for one repository alone. */
  async tokenFor(
    { repository, right }: { repository: string; right: string },
    installation: number,
    app: AppProof,
  ): Promise<string> {
    const body = { repositories: [repository.split("/")[1]], permissions: { [right]: "write" } };
    const path = `/app/installations/${installation}/access_tokens`;
    const { token } = await this.#ask<{ token: string }>({
      method: "POST",
      path,
      body,
      to: "give the app a token",
      token: this.#proof(app),
    });
    return this.#secrets.keep(token);
  }

  /** Asks as the holder of a token. */
  as(token: string) {
    return <T>({ path, ...request }: Omit<Request, "token">) => this.#ask<T>({ ...request, path: `/${path}`, token });
  }

  /** A signed sentence that says which app asks; good for some minutes. */
  #proof({ client_id, pem }: AppProof): string {
    const now = Math.floor(Date.now() / 1000);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const said = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iat: now - 60, exp: now + 540, iss: client_id })}`;
    return this.#secrets.keep(`${said}.${sign("sha256", Buffer.from(said), privateKey(pem)).toString("base64url")}`);
  }

  async #ask<T>(request: Request): Promise<T> {
    return this.#read<T>(await this.#send(request), request.to);
  }

  async #send({ method, path, body, to, token }: Request): Promise<Answer> {
    const headers: Record<string, string> = {
      accept: "application/vnd.github+json",
      "user-agent": "ephemeral-gpu-runner-setup",
    };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const sent = body === undefined ? null : JSON.stringify(body);
    const signal = AbortSignal.timeout(30_000);
    try {
      return await sendOnce(new URL(`${this.#places.api}${path}`), { method, headers, body: sent, signal });
    } catch (fault) {
      throw new SetupError(`GitHub gave no answer when it was to ${to}.`, "Run this again.", fault);
    }
  }

  #read<T>({ status, text }: Answer, to: string): T {
    if (status < 200 || status > 299) throw new SetupError(`GitHub did not ${to} (${status}): ${text.slice(0, 200)}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }
}

function privateKey(pem: string) {
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
