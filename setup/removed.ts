import { isMap, visit, type YAMLMap } from "yaml";
import type { FileState } from "./facts.ts";
import { bad, type Finding, unasked } from "./finding.ts";
import { readSetting } from "./setting-forms.ts";
import { NAMES } from "./setting-nodes.ts";
import { SetupError } from "./setup-error.ts";
import { type Edit, GPU_WORKFLOW, gpuWorkflow, SECRETS, type Settings } from "./workflows.ts";
import { rangeOf, UnreadableError, Yaml } from "./yaml-file.ts";

type WorkflowText = Pick<FileState, "path" | "text" | "why">;

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
  /** An input of a step that uses this action, as `NAME: VALUE`. */
  input?: string;
  /** The input that its step lacks. */
  lacks?: string | undefined;
  /** Any text of the workflow. */
  text?: string;
}

/** A kind of thing that the action had, or wants now. `$1` is what the form has in its first brackets. */
interface Removed {
  in: "uses" | "input" | "lacks" | "text";
  form: RegExp;
  thing: string;
  /** What to write in the place of that part. */
  instead: string;
  /** That part as it should be; undefined: only a person can say. */
  edit?(part: Part): string | undefined;
}

/** A line that goes; among others in braces only a person takes it out. */
const gone = ({ isFlow }: Part) => (isFlow ? undefined : "");

/** USD for the machines of a run, where nobody said. */
const USUAL_COST = 2;

const REMOVED: readonly Removed[] = [
  {
    in: "uses",
    form: /^.*\/\.github\/workflows\/gpu\.yml@.*$/g,
    thing: "the workflow that could be called",
    instead: `Write two jobs, as init writes them into ${GPU_WORKFLOW}: rent, and test with your command.`,
    edit: ({ jobs }) => jobs,
  },
  {
    in: "uses",
    form: /^(.*)\/rent@(.*)$/g,
    thing: "the path /rent of the action",
    instead: "Write uses: $1@$2",
    edit: ({ source }) => source.replace("/rent@", "@"),
  },
  {
    in: "input",
    form: /^(volume-create-new|volume-size): [\s\S]*/g,
    thing: "the input $1",
    instead:
      "Make the volume once, by the service's console or the client (docs/client.md), and write volume-id: with its id.",
    edit: gone,
  },
  {
    in: "input",
    form: /^(cancel-run): [\s\S]*/g,
    thing: "the input $1",
    instead: "Write if-no-machine: auto, cancel or leave",
    edit: ({ input, source }) =>
      source.replace(
        /["']?cancel-run["']?:[^\n\r#,}]*(?<! )/,
        `if-no-machine: ${input === "cancel-run: false" ? "leave" : "auto"}`,
      ),
  },
  {
    in: "input",
    form: /^history: (?!(?:true|false)?$)[\s\S]*/gi,
    thing: "the file that history names",
    instead: "Leave the line out, and the two cache steps around it: the history keeps itself in the job's log.",
    edit: gone,
  },
  {
    in: "input",
    form: /^if-no-machine: fail-jobs$/g,
    thing: "the value fail-jobs of if-no-machine",
    instead: "Write if-no-machine: auto",
    edit: ({ source }) => source.replace("fail-jobs", "auto"),
  },
  {
    in: "lacks",
    form: /max-cost/g,
    thing: "the input max-cost",
    instead: `Write max-cost: ${USUAL_COST}, or what a run may spend in USD, or none for no limit`,
    edit: ({ isFlow, source }) => {
      if (isFlow) return `${source}, max-cost: ${USUAL_COST}`;
      const [indent = ""] = /^ */.exec(source) ?? [];
      return `${source.trimEnd()}\n${indent}max-cost: ${USUAL_COST}\n`;
    },
  },
  {
    in: "text",
    form: /\bsteps\.[\w-]+\.outputs\.trend\b/g,
    thing: "the output trend",
    instead: "Leave it out: the summary's table has the same figures.",
  },
  {
    in: "text",
    form: /\b(cpuPeakPercent|ramPeakGb|ramTotalGb|diskPeakGb)\b/g,
    thing: "the key $1 of gpu-figures",
    instead: "Leave it out: the machine's own driver reports the GPU alone. Measure CPU, memory and disk in the job.",
  },
];

/** Finds what workflows that use this action have too much, or lack; `name` is that of its repository. */
export function findRemoved(workflows: readonly WorkflowText[], name: string): Finding[] {
  return workflows.flatMap((workflow): Finding[] => {
    const { path } = workflow;
    const yaml = read(workflow);
    if (!(yaml instanceof Yaml)) return [unasked(path, `it ${yaml}.`)];
    return foundIn(yaml, name).map(({ part, kind, has }) => {
      const says = `${kind.thing} ${kind.in === "lacks" ? "is missing" : "is gone"}. ${kind.instead}`;
      return bad(`${path}:${part.line}`, has.replace(kind.form, says));
    });
  });
}

/** The label of a machine that a run rents, as workflows write it. */
const RENTED = /gpu-\$\{\{\s*github\.run_id\s*\}\}/;

/** Finds jobs on a rented machine that may ask for the workflow's cloud identity: the machine's owner can use it. */
export function findIdentity(workflows: readonly WorkflowText[]): Finding[] {
  return workflows.flatMap((workflow) => {
    const yaml = read(workflow);
    // What can't be read is told with what is gone.
    if (!(yaml instanceof Yaml)) return [];
    const isRented = (job: string) => RENTED.test(String(yaml.at(["jobs", job, "runs-on"]) ?? ""));
    const jobs = yaml.keysAt(["jobs"]).filter((job) => isRented(job) && hasIdentity(yaml, job));
    const says = "id-token: write hands your cloud identity to the machine's owner.";
    const way = "Remove it, and log in to the cloud in a job on a hosted runner.";
    return jobs.map((job) => bad(`${workflow.path}, job ${job}`, `${says} ${way}`));
  });
}

/** A job's own permissions replace those of the workflow. */
function hasIdentity(yaml: Yaml, job: string): boolean {
  const granted = yaml.at(["jobs", job, "permissions"]) ?? yaml.at(["permissions"]);
  return yaml.valueAt([], granted) === "write-all" || yaml.valueAt(["id-token"], granted) === "write";
}

/** A workflow, or why it is not read. */
function read({ text = "", why }: WorkflowText): Yaml | string {
  if (why !== undefined) return why;
  try {
    return new Yaml(text);
  } catch (fault) {
    if (fault instanceof UnreadableError) return fault.message;
    throw fault;
  }
}

function foundIn(yaml: Yaml, name: string): { part: Part; kind: Removed; has: string }[] {
  const steps = usersOf(yaml, name);
  if (steps.length === 0) return [];
  const ids = steps.map((step) => String(yaml.valueAt(["id"], step) ?? ""));
  const parts = [...steps.flatMap((step) => partsOf(yaml, step)), ...textsOf(yaml, ids)];
  const found = parts.flatMap((part) =>
    REMOVED.flatMap((kind) => Array.from((part[kind.in] ?? "").matchAll(kind.form), ([has]) => ({ part, kind, has }))),
  );
  return found.toSorted((one, other) => one.part.line - other.part.line);
}

/** The same workflows as they should be, as far as a program can say. */
export function findEdits(workflows: readonly WorkflowText[], name: string): Edit[] {
  return workflows.flatMap((workflow) => {
    const { path, text: before = "" } = workflow;
    const yaml = read(workflow);
    const after = yaml instanceof Yaml ? edited(before, foundIn(yaml, name)) : before;
    return after === before ? [] : [{ path, before, after }];
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
        input: `${name}: ${String(yaml.valueAt([], value) ?? "")}`,
        lacks: isRent && name === "max-price" ? "max-cost" : undefined,
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
  const place = placeOf(yaml, rangeOf(pair.key)[0], rangeOf(user)[1]);
  return { ...place, line: yaml.lineAt(start), jobs: jobsOfCall(yaml, user) };
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

/** Every line of every text, as it is written, without the outputs of steps that are not among these. */
function textsOf(yaml: Yaml, ids: readonly string[]): Part[] {
  const texts: Part[] = [];
  const ours = (output: string, id: string) => (ids.includes(id) ? output : "");
  visit(yaml.document, {
    Scalar: (_, scalar) => {
      const [start, end] = rangeOf(scalar);
      const first = yaml.lineAt(start);
      for (const [index, source] of yaml.text.slice(start, end).split("\n").entries()) {
        const text = source.replaceAll(/\bsteps\.([\w-]+)\.outputs\.trend\b/g, ours);
        texts.push({ line: first + index, text, range: [start, end], source });
      }
    },
  });
  return texts;
}

/** The inputs of the call. */
const INPUTS = { ...NAMES, appClientId: "app-client-id", environment: "environment" } as const;
/** The call's own limit was an hour, twice this. */
const USUAL_MINUTES = 30;

/** The two jobs in the place of one that called gpu.yml; undefined: it has what only a person can carry over. */
function jobsOfCall(yaml: Yaml, job: YAMLMap): string | undefined {
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
      ...{
        maxCost: USUAL_COST,
        jobMinutes: USUAL_MINUTES,
        register: has(INPUTS.appClientId) ? "app" : "token",
        defaultBranch: "",
      },
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
