import { isUtf8 } from "node:buffer";
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit, type YAMLMap } from "yaml";
import { SetupError } from "./setup-error.ts";

const MOST_BYTES = 500_000;
/** The whole file is looked through for what one of them means. */
const MOST_ALIASES = 100;
const TOO_DEEP = "is nested too deep";

/** A file that is not read. Its message goes on after "it" or "which". */
export class UnreadableError extends SetupError {}

/** The text of a file of a checkout; undefined: there is none. Throws an UnreadableError, and follows no link. */
export function readText(root: string, path: string): string | undefined {
  const full = join(root, path);
  const found = lookAt(full);
  if (found === undefined) return undefined;
  if (!found.isFile() || realpathSync(full) !== join(realpathSync(root), path))
    throw new UnreadableError("is no plain file of this checkout");
  if (found.size > MOST_BYTES) throw new UnreadableError("is larger than 0.5 MB");
  const bytes = readFileSync(full);
  if (!isUtf8(bytes) || bytes.includes(0)) throw new UnreadableError("is not written in UTF-8");
  return new TextDecoder().decode(bytes);
}

function lookAt(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw fault;
  }
}

/** YAML with the places of its parts. No alias is written out, and no tag makes anything of a text. */
export class Yaml {
  readonly text: string;
  readonly document: ReturnType<typeof parseDocument>;
  readonly #lines = new LineCounter();

  /** Throws an UnreadableError for what is no YAML, or not all of one mind. */
  constructor(text: string) {
    this.text = text;
    try {
      // The library compares each key with all others.
      this.document = parseDocument(text, { lineCounter: this.#lines, uniqueKeys: false });
      this.#refuse();
    } catch (fault) {
      throw fault instanceof RangeError ? new UnreadableError(TOO_DEEP) : fault;
    }
  }

  /** The line at an offset, from 1. */
  lineAt(offset: number): number {
    return this.#lines.linePos(offset).line;
  }

  /** The node at a way of keys and places; undefined: there is none. */
  at(way: readonly (string | number)[], from: unknown = this.document.contents): Node | undefined {
    let node = this.#meant(from);
    for (const key of way) {
      const inner = isMap(node) || isSeq(node) ? node.get(key, true) : undefined;
      node = this.#meant(inner);
    }
    return node;
  }

  /** The value of a scalar; undefined where there is none, and the kind of what is none. */
  valueAt(way: readonly (string | number)[], from?: unknown): unknown {
    const node = this.at(way, from);
    if (node === undefined) return undefined;
    if (isScalar(node)) return node.value;
    return isMap(node) ? {} : [];
  }

  /** The keys of a map, in their order. */
  keysAt(way: readonly (string | number)[], from?: unknown): string[] {
    const node = this.at(way, from);
    return isMap(node) ? node.items.map(({ key }) => keyOf(key)) : [];
  }

  /** The members of a list. */
  listAt(way: readonly (string | number)[], from?: unknown): Node[] {
    const node = this.at(way, from);
    return isSeq(node) ? node.items.flatMap((item) => this.#meant(item) ?? []) : [];
  }

  #meant(node: unknown): Node | undefined {
    const meant = isAlias(node) ? node.resolve(this.document) : node;
    return isMap(meant) || isSeq(meant) || isScalar(meant) ? meant : undefined;
  }

  #refuse(): void {
    const [{ message } = { message: undefined }] = this.document.errors;
    if (message?.includes("call stack")) throw new UnreadableError(TOO_DEEP);
    if (message !== undefined) throw new UnreadableError(`is no YAML: ${message.split("\n")[0]?.replace(/:$/, "")}`);
    let aliases = 0;
    visit(this.document, {
      Alias: () => {
        aliases += 1;
        if (aliases > MOST_ALIASES) throw new UnreadableError(`has more than ${MOST_ALIASES} aliases`);
      },
      Map: (_, map) => {
        const twin = twinIn(map);
        if (twin === undefined) return;
        throw new UnreadableError(`has "${keyOf(twin)}" twice, at line ${this.lineAt(rangeOf(twin)[0])} again`);
      },
    });
  }
}

function twinIn({ items }: YAMLMap): unknown {
  const seen = new Set<string>();
  for (const { key } of items) {
    if (seen.has(keyOf(key))) return key;
    seen.add(keyOf(key));
  }
  return undefined;
}

function keyOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : "";
}

/** Where a node begins and its value ends. */
export function rangeOf(node: unknown): readonly [start: number, end: number, all: number] {
  return (node as Node | undefined)?.range ?? [0, 0, 0];
}
