import { isMap, visit, type YAMLMap } from "yaml";
import type { Finding } from "./check.ts";
import { GPU_WORKFLOW } from "./workflows.ts";
import { rangeOf, UnreadableError, Yaml } from "./yaml-file.ts";

/** One file of a repository's workflows. */
export interface WorkflowText {
  path: string;
  text: string;
  isOnDefaultBranch?: boolean;
  /** Why it was not read. */
  why?: string;
}

/** A part of a workflow that can hold something removed. */
interface Part {
  /** Its line, from 1. */
  line: number;
  /** The action that it uses, where that is this one. */
  uses?: string;
  /** An input of a step that uses this action. */
  input?: { name: string; value: unknown };
  /** Any text of the workflow. */
  text?: string;
}

/** A kind of thing that the action had. */
interface Removed {
  /** Names each one in a part; `ids` are those of the steps that use this action. */
  on(part: Part, ids: ReadonlySet<string>): readonly string[];
  /** Says what to write in the place of that part. */
  instead(part: Part): string;
}

const REMOVED: readonly Removed[] = [
  {
    on: ({ uses = "" }) => (/\/\.github\/workflows\/gpu\.yml@/.test(uses) ? ["the workflow that could be called"] : []),
    instead: () => `Write two jobs, as init writes them into ${GPU_WORKFLOW}: rent, and test with your command.`,
  },
  {
    on: ({ uses = "" }) => (/\/rent@/.test(uses) ? ["the path /rent of the action"] : []),
    instead: ({ uses = "" }) => `Write uses: ${uses.replace("/rent@", "@")}`,
  },
  {
    on: ({ input }) => named(input, ["volume-create-new", "volume-size"]),
    instead: () =>
      "Make the volume once, by the service's console or the client (docs/client.md), and write volume-id: with its id.",
  },
  {
    on: ({ input }) => named(input, ["cancel-run"]),
    instead: () => "Write if-no-machine: auto, cancel or leave",
  },
  {
    on: ({ input }) => named(input, ["history"]),
    instead: () => "Leave the line out, and the two cache steps around it. A run knows only its own machines now.",
  },
  {
    on: ({ input }) =>
      input?.name === "if-no-machine" && input.value === "fail-jobs" ? ["the value fail-jobs of if-no-machine"] : [],
    instead: () => "Write if-no-machine: auto",
  },
  {
    on: ({ text = "" }, ids) =>
      Array.from(text.matchAll(/\bsteps\.([\w-]+)\.outputs\.trend\b/g), ([, id = ""]) => id)
        .filter((id) => ids.has(id))
        .map(() => "the output trend"),
    instead: () => "Leave it out: the summary's table has the same figures.",
  },
  {
    on: ({ text = "" }) =>
      Array.from(
        text.matchAll(/\b(?:cpuPeakPercent|ramPeakGb|ramTotalGb|diskPeakGb)\b/g),
        ([key]) => `the key ${key} of gpu-figures`,
      ),
    instead: () =>
      "Leave it out: the machine's own driver reports the GPU alone. Measure CPU, memory and disk in the job.",
  },
];

function named(input: Part["input"], names: readonly string[]): string[] {
  return input !== undefined && names.includes(input.name) ? [`the input ${input.name}`] : [];
}

/** Finds what the action no longer has in workflows that use it; `name` is that of its repository. */
export function findRemoved(workflows: readonly WorkflowText[], name: string): Finding[] {
  return workflows.flatMap(({ path, text, why }): Finding[] => {
    if (why !== undefined) return [{ about: path, is: "unknown", says: `it ${why}.` }];
    try {
      return findIn(new Yaml(text), name, path);
    } catch (fault) {
      if (!(fault instanceof UnreadableError)) throw fault;
      return [{ about: path, is: "unknown", says: `it ${fault.message}.` }];
    }
  });
}

function findIn(yaml: Yaml, name: string, path: string): Finding[] {
  const steps = usersOf(yaml, name);
  if (steps.length === 0) return [];
  const ids = new Set(steps.map((step) => String(yaml.valueAt(["id"], step) ?? "")));
  const parts = [...steps.flatMap((step) => partsOf(yaml, step)), ...textsOf(yaml)];
  const found = parts.flatMap((part) =>
    REMOVED.flatMap((kind) =>
      kind.on(part, ids).map((thing) => ({ line: part.line, says: `${thing} is gone. ${kind.instead(part)}` })),
    ),
  );
  return found
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, says }) => ({ about: `${path}:${line}`, is: "bad", says }));
}

/** The steps and jobs that use this action. */
function usersOf(yaml: Yaml, name: string): YAMLMap[] {
  const users: YAMLMap[] = [];
  const isOurs = (uses: unknown) =>
    /^[^/]+\/([^/@]+)(?:\/[^@]*)?@/.exec(String(uses))?.[1]?.toLowerCase() === name.toLowerCase();
  visit(yaml.document, { Map: (_, map) => void (isOurs(yaml.valueAt(["uses"], map)) && users.push(map)) });
  return users;
}

function partsOf(yaml: Yaml, step: YAMLMap): Part[] {
  const uses = yaml.at(["uses"], step);
  const inputs = yaml.at(["with"], step);
  const pairs = isMap(inputs) ? inputs.items : [];
  return [
    { line: yaml.lineAt(rangeOf(uses)[0]), uses: String(yaml.valueAt([], uses)) },
    ...pairs.map(({ key, value }) => ({
      line: yaml.lineAt(rangeOf(key)[0]),
      input: { name: String(yaml.valueAt([], key)), value: yaml.valueAt([], value) },
    })),
  ];
}

/** Every line of every text, as it is written. */
function textsOf(yaml: Yaml): Part[] {
  const texts: Part[] = [];
  visit(yaml.document, {
    Scalar: (_, scalar) => {
      const [start, end] = rangeOf(scalar);
      const first = yaml.lineAt(start);
      const lines = yaml.text.slice(start, end).split("\n");
      texts.push(...lines.map((text, index) => ({ line: first + index, text })));
    },
  });
  return texts;
}
