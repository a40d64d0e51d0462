import { z } from "zod";
import type { GithubStandIn } from "../../../simulator/github/start-github.ts";

const Configuration = z.record(z.string(), z.string());
const Credentials = z.object({ Data: z.object({ ClientId: z.string() }) });

/** The files of a runner's configuration, read. */
export function filesOf(jitConfig: string): Record<string, unknown> {
  const files = Object.entries(Configuration.parse(decode(jitConfig)));
  return Object.fromEntries(files.map(([name, text]) => [name, decode(text)]));
}

/** A listener without a machine: says by hand what the stand-in runner says. */
export class AttachedRunner {
  readonly #url: string;
  readonly #secret: string;
  #session = "";

  constructor(github: GithubStandIn, jitConfig: string) {
    this.#url = github.url;
    this.#secret = Credentials.parse(filesOf(jitConfig)[".credentials"]).Data.ClientId;
  }

  /** Comes online. */
  async connect(): Promise<void> {
    const { text } = await this.#ask("POST", "session?version=2.337.0");
    this.#session = text.replace("session ", "").trim();
  }

  /** Asks for its next message: the number of the job that it is given, undefined for none. */
  async poll(signal?: AbortSignal): Promise<string | undefined> {
    return /^job\nid (\d+)/.exec((await this.#ask("GET", `session/${this.#session}/message`, signal)).text)?.[1];
  }

  /** Begins a job; gives the answer's status. */
  async begin(job: string | number): Promise<number> {
    return (await this.#ask("POST", `jobs/${job}/begin`)).status;
  }

  /** Takes the job that waits for it, and begins it; gives the job's number. */
  async takeJob(): Promise<string> {
    const job = await this.poll();
    if (job === undefined || (await this.begin(job)) !== 200) throw new Error("No job came.");
    return job;
  }

  /** Reports the end of its job; its registration goes some seconds later. */
  async finish(job: string, conclusion = "success"): Promise<void> {
    await this.#ask("POST", `jobs/${job}/finish?conclusion=${conclusion}`);
  }

  /** Goes offline; its registration stays. */
  async close(): Promise<void> {
    await this.#ask("DELETE", `session/${this.#session}`);
  }

  async #ask(method: string, path: string, signal: AbortSignal | null = null) {
    const headers = { authorization: `Bearer ${this.#secret}` };
    const answer = await fetch(`${this.#url}/_runner/${path}`, { method, headers, signal });
    return { status: answer.status, text: await answer.text() };
  }
}

function decode(text: string): unknown {
  return JSON.parse(Buffer.from(text, "base64").toString());
}
