import type { Finding } from "./check.ts";
import { GPU_WORKFLOW } from "./workflows.ts";

/** One file of a repository's workflows. */
export interface WorkflowText {
  path: string;
  text: string;
}

/** An input that a step gives to the action. */
interface Input {
  name: string;
  value: string;
}

/** One line of a workflow, without its comment. */
interface Line {
  text: string;
  /** Undefined: it names no action, or another's. */
  uses: string | undefined;
  /** Those of a step that uses this action. */
  inputs: readonly Input[];
  /** The ids of all steps that use this action. */
  ids: ReadonlySet<string>;
}

/** A kind of thing that the action had. */
interface Removed {
  /** Names each one on a line. */
  on(line: Line): readonly string[];
  /** Says what to write in the place of that line. */
  instead(line: Line): string;
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
    on: ({ inputs }) => named(inputs, ["volume-create-new", "volume-size"]),
    instead: () =>
      "Make the volume once, by the service's console or the client (docs/client.md), and write volume-id: with its id.",
  },
  {
    on: ({ inputs }) => named(inputs, ["cancel-run"]),
    instead: () => "Write if-no-machine: auto, cancel or leave",
  },
  {
    on: ({ inputs }) => named(inputs, ["history"]),
    instead: () => "Leave the line out, and the two cache steps around it. A run knows only its own machines now.",
  },
  {
    on: ({ inputs }) =>
      inputs.some(({ name, value }) => name === "if-no-machine" && value === "fail-jobs")
        ? ["the value fail-jobs of if-no-machine"]
        : [],
    instead: () => "Write if-no-machine: auto",
  },
  {
    on: ({ text, ids }) =>
      Array.from(text.matchAll(/\bsteps\.([\w-]+)\.outputs\.trend\b/g), ([, id = ""]) => id)
        .filter((id) => ids.has(id))
        .map(() => "the output trend"),
    instead: () => "Leave it out: the summary's table has the same figures.",
  },
  {
    on: ({ text }) =>
      Array.from(
        text.matchAll(/\b(?:cpuPeakPercent|ramPeakGb|ramTotalGb|diskPeakGb)\b/g),
        ([key]) => `the key ${key} of gpu-figures`,
      ),
    instead: () =>
      "Leave it out: the machine's own driver reports the GPU alone. Measure CPU, memory and disk in the job.",
  },
];

function named(inputs: readonly Input[], names: readonly string[]): string[] {
  return inputs.filter(({ name }) => names.includes(name)).map(({ name }) => `the input ${name}`);
}

/** Finds what the action no longer has in workflows that use it; `name` is that of its repository. */
export function findRemoved(workflows: readonly WorkflowText[], name: string): Finding[] {
  return workflows.flatMap(({ path, text }) =>
    readLines(text, name).flatMap((line, index) =>
      REMOVED.flatMap((kind) =>
        kind.on(line).map((thing): Finding => {
          return { about: `${path}:${index + 1}`, is: "bad", says: `${thing} is gone. ${kind.instead(line)}` };
        }),
      ),
    ),
  );
}

/** The lines of a workflow; none where it doesn't use the action. */
function readLines(text: string, name: string): Line[] {
  // A comment is part of no line, so nothing in it is found.
  const lines = text.split(/\r?\n/).map((line) => line.replace(/(?:^|\s)#.*$/, ""));
  const used = lines.map((line) => useOn(line, name));
  const steps = used.flatMap((uses, index) => (uses === undefined ? [] : [stepAround(lines, index)]));
  if (steps.length === 0) return [];
  const inputs = new Map(steps.flatMap((step) => inputsOf(lines, step)));
  const ids = new Set(steps.flatMap((step) => idOf(lines, step)));
  return lines.map((line, index) => ({ text: line, uses: used[index], inputs: inputs.get(index) ?? [], ids }));
}

/** The action that a line uses, if it is this one. */
function useOn(line: string, name: string): string | undefined {
  const [, uses = ""] = /(?:^|[\s{,])["']?uses["']?:\s*["']?([^\s"',}]+)/.exec(line) ?? [];
  const [, repository = ""] = /^[^/]+\/([^/@]+)(?:\/[^@]*)?@/.exec(uses) ?? [];
  return repository.toLowerCase() === name.toLowerCase() ? uses : undefined;
}

/** The lines of one step, and the column of its keys. */
interface Step {
  from: number;
  to: number;
  column: number;
}

const columnOf = (line = "") => line.search(/[^\s-]/);
const isBlank = (line = "") => line.trim() === "";

/** The step, or the job, that has the line with this index. */
function stepAround(lines: readonly string[], index: number): Step {
  const column = columnOf(lines[index]);
  const isWithin = (line = "") => isBlank(line) || (columnOf(line) >= column && !/^\s*-/.test(line.slice(0, column)));
  let from = index;
  while (isWithin(lines[from]) && (isBlank(lines[from - 1]) || columnOf(lines[from - 1]) >= column)) from -= 1;
  let to = index + 1;
  while (to < lines.length && isWithin(lines[to])) to += 1;
  return { from, to, column };
}

function keysOf(lines: readonly string[], { from, to, column }: Step, key: RegExp): number[] {
  return Array.from({ length: to - from }, (_, offset) => from + offset).filter(
    (index) => columnOf(lines[index]) === column && key.test(lines[index] ?? ""),
  );
}

function idOf(lines: readonly string[], step: Step): string[] {
  return keysOf(lines, step, /\bid:/).map((index) => /\bid:\s*["']?([\w-]+)/.exec(lines[index] ?? "")?.[1] ?? "");
}

/** The inputs of a step by the index of their line: one a line, or all of them in braces. */
function inputsOf(lines: readonly string[], step: Step): [index: number, inputs: Input[]][] {
  const [start] = keysOf(lines, step, /\bwith["']?:/);
  if (start === undefined) return [];
  const [, braces] = /\bwith["']?:\s*\{(.*)$/.exec(lines[start] ?? "") ?? [];
  if (braces !== undefined) return [[start, inputsIn(braces)]];
  const block = Array.from({ length: step.to - start - 1 }, (_, offset) => start + 1 + offset);
  const column = columnOf(lines[block.find((index) => !isBlank(lines[index])) ?? start]);
  const isInput = (index: number) => column > step.column && columnOf(lines[index]) === column;
  const end = block.find((index) => !isBlank(lines[index]) && columnOf(lines[index]) < column) ?? step.to;
  // What stands deeper is the text of an input.
  const own = block.filter((index) => index < end && isInput(index));
  return own.map((index) => [index, inputsIn(lines[index] ?? "").slice(0, 1)]);
}

function inputsIn(text: string): Input[] {
  const pairs = text.matchAll(/(?:^|[{,])\s*["']?([\w-]+)["']?:(?:\s+|$)(?:"([^"]*)"|'([^']*)'|([^,}]*))/g);
  return Array.from(pairs, ([, name = "", double, single, plain = ""]) => ({
    name,
    value: double ?? single ?? plain.trim(),
  }));
}
