import { readdirSync, readFileSync } from "node:fs";

const EVERY_MS = 150;

/** Looks for secrets in all processes' argument lists, again and again while worlds are open. */
export class ProcessList implements Disposable {
  readonly #worlds = new Map<(breach: string) => void, () => Record<string, string>>();
  readonly #timer = setInterval(() => this.#look(), EVERY_MS);

  /** `secrets` by name, asked at each look; `report` is called for each that is seen, until that is ended. */
  watch(secrets: () => Record<string, string>, report: (breach: string) => void): Disposable {
    this.#worlds.set(report, secrets);
    return { [Symbol.dispose]: () => this.#worlds.delete(report) };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#worlds.size === 0) return;
    const shown = argumentLists();
    for (const [report, secrets] of this.#worlds)
      for (const [name, secret] of Object.entries(secrets()))
        if (shown.includes(secret)) report(`${name} stands in the list of processes.`);
  }
}

function argumentLists(): string {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const lists = pids.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1");
    } catch {
      // It ended.
      return "";
    }
  });
  return lists.join("\n");
}
