/** One request and how it ended. Tokens, answers and runner configurations never stand here. */
export interface JournalEntry {
  /** Simulated time, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** With the query, without the prefix of the API. */
  readonly path: string;
  /** The operation's name; undefined when the path is none that the stand-in knows. */
  readonly operation: string | undefined;
  /** The name of the token (`runner`, `job`, …), `unknown` or `none`. */
  readonly token: string;
  /** The JSON that it carried, if any. */
  readonly request?: unknown;
  readonly status: number | "no answer";
  /** The kind of the fault that shaped the answer, if any. */
  readonly fault?: string;
}

/** Every request in order of its end; a listener's poll that brought nothing is left out. */
export class Journal {
  readonly entries: JournalEntry[] = [];

  /** The entries of one operation. */
  of(operation: string): JournalEntry[] {
    return this.entries.filter((entry) => entry.operation === operation);
  }
}
