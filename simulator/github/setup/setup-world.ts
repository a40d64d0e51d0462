import { generateKeyPairSync, randomBytes } from "node:crypto";
import sodium from "libsodium-wrappers";

/** Somebody who is logged in by gh. */
export interface Person {
  readonly login: string;
  readonly plan: string;
  /** Whether the repository is the person's to administer. */
  readonly isAdmin: boolean;
}

/** A secret as the stand-in opened it. */
interface OpenedSecret {
  readonly name: string;
  readonly value: string;
  readonly updatedAt: string;
}

/** An app that was made by a manifest. */
export type App = ReturnType<typeof newApp>;

function newApp(id: number, manifest: Record<string, unknown>) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    id,
    slug: String(manifest.name).toLowerCase(),
    clientId: `Iv23li${randomBytes(7).toString("hex")}`,
    pem: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
    publicKey,
    manifest,
    /** Full names in small letters. */
    installedOn: new Set<string>(),
  };
}

/** A pull request. */
type Pull = Readonly<Record<"head" | "base" | "title" | "body", string>> & { readonly number: number };

/** Who may use an environment. */
export interface EnvironmentRules {
  /** Patterns of branches; undefined: all may. */
  readonly branches?: readonly string[];
  /** Ids of people, one of whom must approve. */
  readonly reviewers: readonly number[];
}

/** An environment of a repository; the one without a name is the repository itself. */
interface Place {
  rules: EnvironmentRules;
  readonly secrets: Map<string, OpenedSecret>;
}

/** Environments, secrets, apps and pull requests, of one repository after the other. */
export class SetupWorld {
  readonly people = new Map<string, Person>();
  /** How a repository looks to its people; a test changes it. */
  readonly shown = {
    isPrivate: false,
    ownerType: "User" as "User" | "Organization",
    defaultBranch: "main",
    /** False: GitHub refuses to make one. */
    hasEnvironments: true,
    /** False: its plan has environments without reviewers. */
    hasReviewers: true,
  };
  readonly apps: App[] = [];
  readonly codes = new Map<string, App>();
  readonly pulls: Pull[] = [];
  /** The branches at GitHub, and whether one is protected. */
  readonly branches = new Map([["main", { isProtected: false }]]);
  /** The states of the workflows that GitHub knows, by their paths. */
  readonly workflows = new Map<string, string>();
  /** Workflows that were started by hand. */
  readonly dispatches: { workflow: string; ref: string }[] = [];
  readonly #places = new Map<string, Place>([["", { rules: { reviewers: [] }, secrets: new Map() }]]);
  #keys: { publicKey: Uint8Array; privateKey: Uint8Array } | undefined;

  /** Makes a token a person's. */
  addPerson(token: string, person: Person): void {
    this.people.set(token, person);
  }

  /** The environments that there are. */
  get environments(): string[] {
    return [...this.#places.keys()].filter((name) => name !== "");
  }

  /** Makes an environment, or gives one other rules. */
  makeEnvironment(name: string, rules: EnvironmentRules = { reviewers: [] }): void {
    this.#places.set(name, { secrets: this.#places.get(name)?.secrets ?? new Map(), rules });
  }

  /** Who may use an environment. */
  rulesOf(name: string): EnvironmentRules {
    return this.#places.get(name)?.rules ?? { reviewers: [] };
  }

  /** Deletes one, with its secrets; false: there is none. */
  deleteEnvironment(name: string): boolean {
    return this.#places.delete(name);
  }

  /** The secrets of an environment, or of the repository. */
  secrets(environment = ""): OpenedSecret[] {
    return [...(this.#places.get(environment)?.secrets.values() ?? [])];
  }

  /** Keeps a secret; replaces one of the same name. */
  setSecret(environment = "", name: string, value: string, updatedAt = new Date().toISOString()): void {
    if (!this.#places.has(environment)) this.makeEnvironment(environment);
    this.#places.get(environment)?.secrets.set(name, { name, value, updatedAt });
  }

  /** Forgets a secret; false: there is none. */
  deleteSecret(environment = "", name: string): boolean {
    return this.#places.get(environment)?.secrets.delete(name) ?? false;
  }

  /** The key that secrets are sealed with. */
  async publicKey(): Promise<string> {
    await sodium.ready;
    this.#keys ??= sodium.crypto_box_keypair();
    return Buffer.from(this.#keys.publicKey).toString("base64");
  }

  /** Opens what was sealed; undefined: with another key. */
  open(sealed: string): string | undefined {
    if (this.#keys === undefined) return undefined;
    try {
      const { publicKey, privateKey } = this.#keys;
      return Buffer.from(sodium.crypto_box_seal_open(Buffer.from(sealed, "base64"), publicKey, privateKey)).toString();
    } catch {
      return undefined;
    }
  }

  /** Makes an app of a manifest; the code takes it over, once. */
  makeApp(manifest: Record<string, unknown>): string {
    const app = newApp(400_000 + this.apps.length, manifest);
    this.apps.push(app);
    const code = randomBytes(20).toString("hex");
    this.codes.set(code, app);
    return code;
  }
}
