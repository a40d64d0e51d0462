import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Repository } from "./facts.ts";
import { SetupError, StoppedError } from "./setup-error.ts";

/** How long somebody may take for the click, in milliseconds. */
const PATIENCE_MS = 15 * 60_000;

/** One name for each repository, of 34 signs at most: GitHub refuses a second app by that name, so none comes about unseen. */
export function appName({ id, owner }: Pick<Repository, "id" | "owner">): string {
  return `gpu-runners-${owner.login.slice(0, 13).replace(/-$/, "")}-${id.toString(36)}`.toLowerCase();
}

/** What an app of this kind is, as GitHub's form for manifests reads it. */
function manifestFor(repository: Repository, redirect: string, right: string): object {
  return {
    name: appName(repository),
    url: repository.html_url,
    description: "Registers rented GPU machines as runners.",
    redirect_url: redirect,
    public: false,
    hook_attributes: { url: repository.html_url, active: false },
    default_permissions: { [right]: "write" },
    default_events: [],
  };
}

/** A page on this very machine that sends the person to GitHub's form, and gets the code back. */
export class AppPage implements AsyncDisposable {
  readonly #server = createServer((request, response) => this.#serve(request, response));
  readonly #state = randomBytes(16).toString("hex");
  /** The way back holds a secret of its own: another page in the browser can't guess it. */
  readonly #path = `/${randomBytes(16).toString("hex")}`;
  readonly #action: string;
  readonly #manifest: (redirect: string) => object;

  private constructor(action: string, manifest: (redirect: string) => object) {
    this.#action = action;
    this.#manifest = manifest;
  }

  /** Opens it for a repository. */
  static async open(repository: Repository, web: string, right = "administration"): Promise<AppPage> {
    const { login, type } = repository.owner;
    const place = type === "Organization" ? `/organizations/${login}/settings/apps/new` : "/settings/apps/new";
    const page = new AppPage(web + place, (redirect) => manifestFor(repository, redirect, right));
    page.#server.listen(0, "127.0.0.1");
    await once(page.#server, "listening");
    return page;
  }

  /** Where the person begins. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.#path}`;
  }

  /** The code by which the made app is taken over; one that came before this was called is lost. */
  async code(stop: AbortSignal): Promise<string> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    try {
      const [code] = (await once(this.#server, "code", { signal: AbortSignal.any([stop, patience]) })) as [string];
      return code;
    } catch (fault) {
      if (stop.aborted) throw new StoppedError();
      if (!patience.aborted) throw fault;
      throw new SetupError("No app was made.", "Run this again, or take --register token.", fault);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    // Anybody on this machine may send anything: not every path is an address.
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    const sent = new URLSearchParams(query);
    const code = sent.get("code");
    // A name that another page's owner points here is not ours.
    const isHere = request.headers.host === new URL(this.url).host;
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.setHeader("referrer-policy", "no-referrer");
    if (isHere && path === this.#path) response.end(this.#begin());
    else if (isHere && path === `${this.#path}/back` && code && sent.get("state") === this.#state) {
      response.end("<!doctype html><title>Done</title><p>The app is made. Go back to the terminal.</p>");
      this.#server.emit("code", code);
    } else {
      response.statusCode = 404;
      response.end("<!doctype html><title>Not found</title><p>There is nothing here.</p>");
    }
  }

  #begin(): string {
    const manifest = JSON.stringify(this.#manifest(`${this.url}/back`));
    const html = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
    return `<!doctype html><title>Make the app</title>
<p>GitHub asks once more before it makes the app.</p>
<form method="post" action="${html(`${this.#action}?state=${this.#state}`)}">
<input type="hidden" name="manifest" value="${html(manifest)}">
<button>Go on to GitHub</button></form><script>document.forms[0].submit()</script>`;
  }
}
