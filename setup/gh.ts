import { type Ended, runProgram } from "./run-program.ts";
import { SetupError } from "./setup-error.ts";

/** GitHub answered no, or nothing. */
export class GithubError extends SetupError {
  /** Undefined: no answer came. */
  readonly status: number | undefined;

  constructor(what: string, status: number | undefined, said: string) {
    super(`GitHub did not ${what}${status === undefined ? "" : ` (${status})`}: ${said}`);
    this.status = status;
  }
}

/** One request of GitHub's interface. */
export interface GithubRequest {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  /** What it is for, as the words that follow "GitHub did not". */
  to: string;
}

/** What was asked for; undefined where GitHub says that there is no such thing. */
export async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  return await asked.catch((fault: unknown) => {
    if (fault instanceof GithubError && fault.status === 404) return undefined;
    throw fault;
  });
}

/** A text as one part of a path: whatever it holds, it leads nowhere else. */
export function partOf(text: string): string {
  if (/^\.*$/.test(text)) throw new SetupError(`"${text}" is no name at GitHub.`);
  return encodeURIComponent(text);
}

/** The path of a repository, by its owner/name. */
export function repositoryPath(fullName: string): string {
  return `repos/${fullName.split("/").map(partOf).join("/")}`;
}

/** GitHub's command line, which keeps the person's login: this program never sees it. */
export class Gh {
  readonly #host: string;

  constructor(host: string) {
    this.#host = host;
  }

  /** Whether it is there, and logged in. */
  async state(): Promise<"ready" | "missing" | "logged-out"> {
    const { code } = await runProgram("gh", ["--version"]);
    if (code === undefined) return "missing";
    const status = await runProgram("gh", ["auth", "status", "--hostname", this.#host]);
    return status.code === 0 ? "ready" : "logged-out";
  }

  /** Asks; undefined for an answer without a body. `token` in the place of the login's. */
  async ask<T>(request: GithubRequest, token?: string): Promise<T> {
    const answer = await this.askText(request, token);
    return answer.trim() === "" ? (undefined as T) : (JSON.parse(answer) as T);
  }

  /** Asks for what is no JSON, such as a log. */
  async askText({ method = "GET", path, body, to }: GithubRequest, token?: string): Promise<string> {
    const words = ["api", "--hostname", this.#host, "-X", method, path];
    if (body !== undefined) words.push("--input", "-");
    const ended = await runProgram("gh", words, {
      detached: true,
      ...(body !== undefined && { input: JSON.stringify(body) }),
      ...(token !== undefined && { env: { GH_TOKEN: token, GH_ENTERPRISE_TOKEN: token } }),
    });
    if (ended.code !== 0) throw refusal(to, ended);
    return ended.out;
  }

  /** The same; undefined where GitHub says that there is no such thing. */
  async find<T>(request: GithubRequest): Promise<T | undefined> {
    return await found(this.ask<T>(request));
  }

  /** Sets a secret; it travels on the standard input, and is sealed by gh before it is sent. */
  async setSecret(name: string, secret: string, repository: string, environment?: string): Promise<void> {
    const where = environment === undefined ? [] : ["--env", environment];
    const host = this.#host === "github.com" ? "" : `${this.#host}/`;
    const words = ["secret", "set", name, "-R", `${host}${repository}`, ...where];
    const ended = await runProgram("gh", words, { detached: true, input: secret });
    if (ended.code !== 0) throw refusal(`set the secret ${name}`, ended);
  }
}

function refusal(to: string, { out, err }: Ended): GithubError {
  const status = /\(HTTP (\d{3})\)|HTTP (\d{3})/.exec(err);
  const said = err.replace(/^gh: /, "").replaceAll(/\s+/g, " ").trim() || messageOf(out) || "gh ended without a word";
  return new GithubError(to, status ? Number(status[1] ?? status[2]) : undefined, said);
}

function messageOf(body: string): string {
  try {
    return String((JSON.parse(body) as { message?: unknown }).message ?? "");
  } catch {
    return body.slice(0, 200);
  }
}
