import { z } from "zod";
import type { GithubStandIn } from "../../../simulator/github/start-github.ts";

const Configuration = z.record(z.string(), z.string());
const Credentials = z.object({ Data: z.object({ ClientId: z.string() }) });

/** Connects with a runner's configuration, and takes the job that it is given. */
export class AttachedRunner {
  readonly #url: string;
  readonly #secret: string;
  #session = "";

  constructor(github: GithubStandIn, jitConfig: string) {
    this.#url = github.url;
    const credentials = Configuration.parse(decode(jitConfig))[".credentials"] ?? "";
    this.#secret = Credentials.parse(decode(credentials)).Data.ClientId;
  }

  /** Comes online. */
  async connect(): Promise<void> {
    this.#session = (await this.#ask("POST", "/_runner/session")).replace("session ", "").trim();
  }

  /** Takes the job that waits for it, and begins it; gives the job's number. */
  async takeJob(): Promise<string> {
    const message = await this.#ask("GET", `/_runner/session/${this.#session}/message`);
    const job = /\d{6,}/.exec(message)?.[0];
    if (job === undefined) throw new Error(`No job came: ${message}`);
    await this.#ask("POST", `/_runner/jobs/${job}/begin`);
    return job;
  }

  /** Reports the end of its job; its registration goes some seconds later. */
  async finish(job: string, conclusion = "success"): Promise<void> {
    await this.#ask("POST", `/_runner/jobs/${job}/finish?conclusion=${conclusion}`);
  }

  async #ask(method: string, path: string): Promise<string> {
    const answer = await fetch(this.#url + path, { method, headers: { authorization: `Bearer ${this.#secret}` } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  }
}

function decode(text: string): unknown {
  return JSON.parse(Buffer.from(text, "base64").toString());
}
