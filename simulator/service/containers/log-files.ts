import { randomBytes, randomInt } from "node:crypto";

interface LogFile {
  id: number;
  text: string;
  signature: string;
  /** Simulated ms since the epoch. */
  readableFrom: number;
}

/** The host must be told, collect the lines and store them. */
const APPEARS_AFTER_MS = 700;

/** The store of logs: a file a request, at an address that nobody can guess, some time later. */
export class LogFiles {
  /** Where the store can be reached; known once the service listens. */
  baseUrl = "";
  readonly #now: () => number;
  readonly #files = new Map<number, LogFile>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Stores a text and gives its address. */
  add(text: string): string {
    const id = randomInt(1, 2 ** 40);
    const signature = randomBytes(16).toString("hex");
    this.#files.set(id, { id, text, signature, readableFrom: this.#now() + APPEARS_AFTER_MS });
    return `${this.baseUrl}/log-files/${id}?signature=${signature}`;
  }

  /** The text at an address; undefined while it is not there, and for one that nobody was given. */
  read(id: number, signature: string | null): string | undefined {
    const file = this.#files.get(id);
    return file?.signature === signature && file.readableFrom <= this.#now() ? file.text : undefined;
  }
}
