import { isMap, visit, type YAMLMap } from "yaml";
import type { Finding } from "./check.ts";
import { readSetting } from "./setting-forms.ts";
import { NAMES } from "./setting-nodes.ts";
import { SetupError } from "./setup-error.ts";
import { type Edit, GPU_WORKFLOW, gpuWorkflow, SECRETS, type Settings } from "./workflows.ts";
import { rangeOf, UnreadableError, Yaml } from "./yaml-file.ts";

/** One file of a repository's workflows. */
export interface WorkflowText {
  path: string;
  text: string;
  isOnDefaultBranch?: boolean;
  /** Why it was not read. */
  why?: string;
}

/** A part of a workflow that can hold something removed, or lack something. */
interface Part {
  /** Its line, from 1. */
  line: number;
  /** Where it stands: whole lines where `isFlow` is not said. */
  range: readonly [start: number, end: number];
  isFlow?: boolean;
  source: string;
  /** The action that it uses, where that is this one. */
  uses?: string;
  /** The two jobs that do what a call did. */
  jobs?: string | undefined;
  /** An input of a step that uses this action. */
  input?: { name: string; value: unknown };
  /** It is the price of a step without max-cost. */
  lacksCost?: boolean;
  /** Any text of the workflow. */
  text?: string;
}

/** A kind of thing that the action had, or wants now. */
interface Removed {
  /** Names each one in a part; `ids` are those of the steps that use this action. */
  on(part: Part, ids: ReadonlySet<string>): readonly string[];
  /** Says what to write in the place of that part. */
  instead(part: Part): string;
  /** That part as it should be; undefined: only a person can say. */
  edit?(part: Part): string | undefined;
}

/** A line that goes; among others in braces only a person takes it out. */
const gone = ({ isFlow }: Part) => (isFlow ? undefined : "");

/** USD for the machines of a run, where nobody said. */
const USUAL_COST = 2;

const REMOVED: readonly Removed[] = [
  {
    on: ({ uses = "" }) => (/\/\.github\/workflows\/gpu\.yml@/.test(uses) ? ["the workflow that could be called"] : []),
    instead: () => `Write two jobs, as init writes them into ${GPU_WORKFLOW}: rent, and test with your command.`,
    edit: ({ jobs }) => jobs,
  },
  {
    on: ({ uses = "" }) => (/\/rent@/.test(uses) ? ["the path /rent of the action"] : []),
    instead: ({ uses = "" }) => `Write uses: ${uses.replace("/rent@", "@")}`,
    edit: ({ source }) => source.replace("/rent@", "@"),
  },
  {
    on: ({ input }) => named(input, ["volume-create-new", "volume-size"]),
    instead: () =>
      "Make the volume once, by the service's console or the client (docs/client.md), and write volume-id: with its id.",
    edit: gone,
  },
  {
    on: ({ input }) => named(input, ["cancel-run"]),
    instead: () => "Write if-no-machine: auto, cancel or leave",
    edit: ({ input, source }) =>
      source.replace(
        /["']?cancel-run["']?:[^\n\r#,}]*(?<! )/,
        `if-no-machine: ${String(input?.value) === "false" ? "leave" : "auto"}`,
      ),
  },
  {
    on: ({ input }) => (isHistoryFile(input) ? ["the file that history names"] : []),
    instead: () => "Leave the line out, and the two cache steps around it: the history keeps itself in the job's log.",
    edit: gone,
  },
  {
    on: ({ input }) =>
      input?.name === "if-no-machine" && input.value === "fail-jobs" ? ["the value fail-jobs of if-no-machine"] : [],
    instead: () => "Write if-no-machine: auto",
    edit: ({ source }) => source.replace("fail-jobs", "auto"),
  },
  {
    on: ({ lacksCost }) => (lacksCost ? ["the input max-cost"] : []),
    instead: () => `Write max-cost: ${USUAL_COST}, or what a run may spend in USD, or none for no limit`,
    edit: ({ isFlow, source }) => {
      const [indent = ""] = /^ */.exec(source) ?? [];
      const [end = "\n"] = /\r?\n$/.exec(source) ?? [];
      return isFlow
        ? `${source}, max-cost: ${USUAL_COST}`
        : `${source.trimEnd()}${end}${indent}max-cost: ${USUAL_COST}${end}`;
    },
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

function isHistoryFile(input: Part["input"]): boolean {
  return input?.name === "history" && !/^(?:true|false)?$/i.test(String(input.value ?? ""));
}

function named(input: Part["input"], names: readonly string[]): string[] {
  return input !== undefined && names.includes(input.name) ? [`the input ${input.name}`] : [];
}

/** Finds what workflows that use this action have too much, or lack; `name` is that of its repository. */
export function findRemoved(workflows: readonly WorkflowText[], name: string): Finding[] {
  return workflows.flatMap((workflow): Finding[] => {
    const { path } = workflow;
    const yaml = read(workflow);
    if (!(yaml instanceof Yaml)) return [{ about: path, is: "unknown", says: `it ${yaml}.` }];
    return foundIn(yaml, name).map(({ part, kind, thing }) => {
      const is = part.lacksCost ? "is missing" : "is gone";
      return { about: `${path}:${part.line}`, is: "bad", says: `${thing} ${is}. ${kind.instead(part)}` };
    });
  });
}

/** A workflow, or why it is not read. */
function read({ text, why }: WorkflowText): Yaml | string {
  if (why !== undefined) return why;
  try {
    return new Yaml(text);
  } catch (fault) {
    if (fault instanceof UnreadableError) return fault.message;
    throw fault;
  }
}

function foundIn(yaml: Yaml, name: string): { part: Part; kind: Removed; thing: string }[] {
  const steps = usersOf(yaml, name);
  if (steps.length === 0) return [];
  const ids = new Set(steps.map((step) => String(yaml.valueAt(["id"], step) ?? "")));
  const parts = [...steps.flatMap((step) => partsOf(yaml, step)), ...textsOf(yaml)];
  const found = parts.flatMap((part) =>
    REMOVED.flatMap((kind) => kind.on(part, ids).map((thing) => ({ part, kind, thing }))),
  );
  return found.toSorted((one, other) => one.part.line - other.part.line);
}

/** The same workflows as they should be, as far as a program can say. */
export function findEdits(workflows: readonly WorkflowText[], name: string): Edit[] {
  return workflows.flatMap((workflow) => {
    const { path, text: before } = workflow;
    const yaml = read(workflow);
    const after = yaml instanceof Yaml ? edited(before, foundIn(yaml, name)) : before;
    return after === before ? [] : [{ kind: "edit-file" as const, path, before, after }];
  });
}

/** From the end, so that what stands before keeps its place; nothing within what is replaced already. */
function edited(before: string, found: readonly { part: Part; kind: Removed }[]): string {
  let after = before;
  let last = Number.POSITIVE_INFINITY;
  for (const { part, kind } of found.toSorted((one, other) => other.part.range[1] - one.part.range[1])) {
    const [start, end] = part.range;
    const fresh = kind.edit?.(part);
    if (fresh === undefined || end > last) continue;
    const lines = before.includes("\r\n") ? fresh.replaceAll(/\r?\n/g, "\r\n") : fresh;
    after = after.slice(0, start) + lines + after.slice(end);
    last = start;
  }
  return after;
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
  const names = yaml.keysAt(["with"], step);
  const isRent = names.includes("api-key") && !names.includes("max-cost");
  const isFlow = isMap(inputs) && inputs.flow === true;
  return [
    { ...usesPart(yaml, step), uses: String(yaml.valueAt([], uses)) },
    ...pairs.map(({ key, value }) => {
      const name = String(yaml.valueAt([], key));
      return {
        ...placeOf(yaml, rangeOf(key)[0], rangeOf(value)[1], isFlow),
        input: { name, value: yaml.valueAt([], value) },
        lacksCost: isRent && name === "max-price",
      };
    }),
  ];
}

/** A call is a whole job; elsewhere it is a name alone. */
function usesPart(yaml: Yaml, user: YAMLMap): Part {
  const [start, end] = rangeOf(yaml.at(["uses"], user));
  const jobs = yaml.at(["jobs"]);
  const pair = isMap(jobs) ? jobs.items.find(({ value }) => value === user) : undefined;
  if (pair === undefined || user.flow) return placeOf(yaml, start, end, true);
  const { line } = placeOf(yaml, start, end);
  return { ...placeOf(yaml, rangeOf(pair.key)[0], rangeOf(user)[1]), line, jobs: jobsOfCall(yaml, user, USUAL_COST) };
}

/** What stands between two places, with the rest of its lines where it is no part of one. */
function placeOf(yaml: Yaml, start: number, end: number, isFlow = false): Part {
  const { text } = yaml;
  const next = text.indexOf("\n", Math.max(start, end - 1));
  const range = isFlow
    ? ([start, end] as const)
    : ([text.lastIndexOf("\n", start - 1) + 1, next < 0 ? text.length : next + 1] as const);
  return { line: yaml.lineAt(start), range, isFlow, source: text.slice(...range) };
}

/** Every line of every text, as it is written. */
function textsOf(yaml: Yaml): Part[] {
  const texts: Part[] = [];
  visit(yaml.document, {
    Scalar: (_, scalar) => {
      const [start, end] = rangeOf(scalar);
      const first = yaml.lineAt(start);
      const lines = yaml.text.slice(start, end).split("\n");
      texts.push(
        ...lines.map((text, index) => ({ line: first + index, text, range: [start, end] as const, source: text })),
      );
    },
  });
  return texts;
}

/** The inputs of the call. */
const INPUTS = { ...NAMES, appClientId: "app-client-id", environment: "environment" } as const;
/** The call's own limit was an hour, twice this. */
const USUAL_MINUTES = 30;

/** The two jobs in the place of one that called gpu.yml; undefined: it has what only a person can carry over. */
function jobsOfCall(yaml: Yaml, job: YAMLMap, maxCost: number): string | undefined {
  const names = yaml.keysAt(["with"], job);
  const known = Object.entries(INPUTS).filter(([, name]) => names.includes(name));
  const has = (name: string) => names.includes(name);
  const isWhole = [INPUTS.gpu, INPUTS.maxPrice, INPUTS.image, INPUTS.command].every(has);
  const others = yaml.keysAt([], job).filter((key) => !["uses", "with", "secrets", "permissions"].includes(key));
  const isTaken = ["rent", "test"].some((name) => ![undefined, job].includes(yaml.at(["jobs", name]) as YAMLMap));
  if (!isWhole || isTaken || names.length > known.length || others.length > 0 || !hasUsualSecrets(yaml, job))
    return undefined;
  const [, repository = "", ref = ""] = /^([^/]+\/[^/]+)\/[^@]*@(\S+)/.exec(String(yaml.valueAt(["uses"], job))) ?? [];
  try {
    const read = ([key, name]: [string, string]) => [
      key,
      readSetting(key as keyof typeof INPUTS, yaml.valueAt(["with", name], job), name),
    ];
    const text = gpuWorkflow({
      ...{ maxCost, jobMinutes: USUAL_MINUTES, register: has(INPUTS.appClientId) ? "app" : "token", defaultBranch: "" },
      ...{ action: { repository, ref }, pullRequests: yaml.keysAt(["on"]).includes("pull_request") },
      ...Object.fromEntries(known.map(read)),
    } as Settings);
    return text.slice(text.indexOf("  rent:"));
  } catch (fault) {
    if (fault instanceof SetupError) return undefined;
    throw fault;
  }
}

/** Whether the jobs that init writes find the secrets that the call was given. */
function hasUsualSecrets(yaml: Yaml, job: YAMLMap): boolean {
  const values = yaml.keysAt(["secrets"], job).map((key) => String(yaml.valueAt(["secrets", key], job)));
  return values.every((value) => SECRETS.includes(/^\$\{\{\s*secrets\.(\w+)\s*\}\}$/.exec(value)?.[1] ?? ""));
}
