import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Options } from "./options.ts";
import { SetupError } from "./setup-error.ts";

/** An app from before its page opens: GitHub shows nobody a list of a person's apps. */
export interface NotedApp {
  slug: string;
  clientId?: string;
  /** Asked for; made; its key is in the secret; it registered a runner, or somebody said that it is installed. */
  state: "asked" | "made" | "kept" | "proved";
  /** Where it is deleted. */
  page: string;
}

interface Written {
  /** Undefined: no start broke off. */
  answers?: Options;
  made: string[];
  apps: NotedApp[];
}

const STATES = {
  asked: 'if "Create GitHub App" was pressed',
  made: "whose key is in no secret",
  kept: "whose key is in the secret APP_PRIVATE_KEY",
  proved: "which is installed",
} as const;

/** What was made, written into the checkout's git folder the moment it is made. It holds no secret. */
export class Note {
  readonly #path: string;
  #is: Written;
  #hasBegun = false;

  constructor(gitFolder: string) {
    this.#path = join(gitFolder, "ephemeral-gpu-runner.json");
    this.#is = existsSync(this.#path) ? read(this.#path) : { made: [], apps: [] };
  }

  /** The answers of a start that broke off. */
  get answers(): Options | undefined {
    return this.#is.answers;
  }

  /** Every app that was asked for, the last one last. */
  get apps(): readonly NotedApp[] {
    return this.#is.apps;
  }

  /** Begins to write down, with the answers from which another start can go on. */
  begin(answers?: Options): void {
    this.#hasBegun = true;
    const made = this.answers === undefined ? [] : this.#is.made;
    this.#write({ ...this.#is, made, ...(answers && { answers }) });
  }

  add(made: string): void {
    this.#write({ ...this.#is, made: [...this.#is.made.filter((each) => each !== made), made] });
  }

  /** Writes down how far an app is; `asked` is the name that it was asked for by. */
  app(app: NotedApp, asked = app.slug): void {
    const apps = [...this.#is.apps.filter(({ slug }) => slug !== app.slug && slug !== asked), app];
    const isOurs = app.clientId !== undefined && this.answers !== undefined;
    const answers = { ...this.answers, register: "app" as const, appClientId: app.clientId };
    this.#write({ ...this.#is, apps, ...(isOurs && { answers }) });
  }

  /** Writes down that an app registered a runner. */
  proved(id: string | undefined): void {
    const app = this.#is.apps.find(({ clientId }) => clientId !== undefined && clientId === id);
    if (app !== undefined) this.app({ ...app, state: "proved" });
  }

  /** All is made, or all is taken back: the apps alone are still to be named. */
  close(): void {
    this.#hasBegun = false;
    this.#write({ made: [], apps: this.#is.apps });
  }

  /** How things stand; undefined: nothing was to be changed yet. */
  get soFar(): string | undefined {
    const open = this.#is.apps.filter(({ state }) => state !== "proved");
    if (this.#is.made.length + open.length === 0) return this.#hasBegun ? "Nothing was changed." : undefined;
    const apps = open.map(({ slug, state, page }) => `the app ${slug}, ${STATES[state]} (to delete it: ${page})`);
    const all = [...this.#is.made, ...apps].join("; ");
    return `Done until then: ${all}. Run this again: it goes on from there. remove takes it back.`;
  }

  #write(is: Written): void {
    this.#is = is;
    if (is.answers === undefined && is.made.length + is.apps.length === 0) rmSync(this.#path, { force: true });
    else writeFileSync(this.#path, `${JSON.stringify(is, undefined, 2)}\n`);
  }
}

function read(path: string): Written {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Written;
  } catch (fault) {
    const says = `${path}, the note of an earlier start, can't be read.`;
    throw new SetupError(says, "Run remove after deleting it.", fault);
  }
}
