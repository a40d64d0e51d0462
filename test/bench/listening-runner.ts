import { z } from "zod";

const Configuration = z.record(z.string(), z.string());
const Credentials = z.object({ Data: z.object({ ClientId: z.string() }) });

/** A machine's listener alone: takes one job, and stays connected until it is stopped. */
export class ListeningRunner {
  readonly #url: string;
  readonly #secret: string;
  readonly #stop = new AbortController();
  /** True once its job has begun. */
  isBusy = false;

  constructor(url: string, jitConfig: string) {
    this.#url = url;
    const credentials = Configuration.parse(decode(jitConfig))[".credentials"] ?? "";
    this.#secret = Credentials.parse(decode(credentials)).Data.ClientId;
  }

  /** Connects, takes the job that waits for it, and listens on until stopped or disconnected. */
  async listen(): Promise<void> {
    try {
      const session = (await this.#ask("POST", "session")).replace("session ", "").trim();
      for (;;) {
        const message = await this.#ask("GET", `session/${session}/message`);
        const job = this.isBusy ? undefined : /\d{6,}/.exec(message)?.[0];
        if (job === undefined) continue;
        await this.#ask("POST", `jobs/${job}/begin`);
        this.isBusy = true;
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  stop(): void {
    this.#stop.abort();
  }

  async #ask(method: string, path: string): Promise<string> {
    const headers = { authorization: `Bearer ${this.#secret}` };
    const answer = await fetch(`${this.#url}/_runner/${path}`, { method, headers, signal: this.#stop.signal });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  }
}

function decode(text: string): unknown {
  return JSON.parse(Buffer.from(text, "base64").toString());
}
