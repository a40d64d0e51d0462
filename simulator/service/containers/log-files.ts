import { randomBytes, randomInt } from "node:crypto";

/** The host must be told, collect the lines and store them. */
const APPEARS_AFTER_MS = 700;

/** The store of logs: a file a request, at an address that nobody can guess, some time later. */
export function openLogFiles(clock: { now(): number }) {
  /** By their id and signature. */
  const files = new Map<string, { text: string; readableFrom: number }>();
  const nameOf = (id: number, signature: string | null) => `${id}?signature=${signature}`;
  return {
    /** Where the store can be reached; known once the service listens. */
    baseUrl: "",
    /** Stores a text and gives its address. */
    add(text: string): string {
      const name = nameOf(randomInt(1, 2 ** 40), randomBytes(16).toString("hex"));
      files.set(name, { text, readableFrom: clock.now() + APPEARS_AFTER_MS });
      return `${this.baseUrl}/log-files/${name}`;
    },
    /** The text at an address; undefined while it is not there, and for one that nobody was given. */
    read(id: number, signature: string | null): string | undefined {
      const file = files.get(nameOf(id, signature));
      return file && file.readableFrom <= clock.now() ? file.text : undefined;
    },
  };
}
