import type { StageResult } from "../../simulator/actions/stage.ts";
import type { JournalEntry as GithubEntry } from "../../simulator/github/journal.ts";
import type { JournalEntry as ServiceEntry } from "../../simulator/service/traffic/service-journal.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import type { WitnessedWorld } from "./witness.ts";

/** What a scenario's world saw of the action, without what two runs of the same code differ in. */
export interface Transcript {
  /** Of each stage: its exit code and the class of its error. */
  readonly stages: readonly string[];
  /** Of each stage that has any. */
  readonly outputs: readonly string[];
  /** Requests that change something, in order, by the number of the machine that they are about. */
  readonly machines: Readonly<Record<string, readonly string[]>>;
  readonly reads: readonly string[];
  readonly searches: readonly string[];
  /** What became of the jobs of all runs. */
  readonly jobs: readonly string[];
}

/** A request that changes something. */
interface Change {
  readonly at: number;
  readonly machine: string;
  readonly line: string;
}

const NO_MACHINE = "none";

/** Writes down a world. README.md of test/ has the rules of what is left out. */
export function transcriptOf({ sim, steps }: WitnessedWorld): Transcript {
  const service = sim.service.journal.entries.filter(({ caller }) => !isMachine(caller));
  const github = sim.github.journal.entries.filter(({ operation }) => operation !== undefined);
  const changes = [
    ...service.filter(isChange).map((entry) => changeAtService(sim, entry)),
    ...github.filter(isChange).map((entry) => changeAtGithub(sim, entry)),
  ];
  return {
    stages: steps.flatMap(({ results }) => results.map(endLine)),
    outputs: steps.flatMap(({ results }) => results.flatMap(({ outputs }) => outputLine(outputs))),
    machines: byMachine(changes.toSorted((a, b) => a.at - b.at)),
    reads: distinct([...service, ...github].filter(({ method }) => method === "GET").map(readLine)),
    searches: distinct(service.filter(isSearch).map(({ request }) => plain(request))),
    jobs: distinct(sim.github.runs().flatMap((run) => run.jobs().map((job) => `${job.name}: ${job.conclusion}`))),
  };
}

/** Its key is not known any more once it is gone. */
function isMachine(caller: string): boolean {
  return caller.startsWith("instance ") || caller === "invalid";
}

function isSearch({ operation }: ServiceEntry): boolean {
  return operation === "searchOffers";
}

/** A DELETE that finds nothing is left out: whether a machine goes by itself before is its own affair. */
function isChange(entry: ServiceEntry | GithubEntry): boolean {
  if (entry.method === "DELETE" && entry.status === 404) return false;
  return entry.method !== "GET" && entry.operation !== "searchOffers";
}

function changeAtService(sim: Simulator, { heardAt: at, method, path, request }: ServiceEntry): Change {
  const label = labelOf(request) ?? labelOfInstance(sim, path);
  const number = label === undefined ? undefined : /\.(\d+)\.\d+$/.exec(label)?.[1];
  return { at, machine: number ?? NO_MACHINE, line: `${method} ${plainPath(path)} ${plain(request)}`.trimEnd() };
}

function labelOf(request: unknown): string | undefined {
  if (typeof request !== "object" || request === null || !("label" in request)) return undefined;
  return typeof request.label === "string" ? request.label : undefined;
}

function labelOfInstance(sim: Simulator, path: string): string | undefined {
  const id = Number(/\/instances\/(?:\w+\/)?(\d+)/.exec(path)?.[1]);
  return sim.service.instances().find((instance) => instance.id === id)?.label ?? undefined;
}

function changeAtGithub(sim: Simulator, { heardAt: at, method, path, request }: GithubEntry): Change {
  const id = /\/runners\/(\d+)$/.exec(path)?.[1];
  const name = id === undefined ? nameIn(request) : sim.github.nameOfRunner(Number(id));
  const number = name === undefined ? undefined : /^gpu-.*?-[a-z0-9]{6}-(\d+)(?:-\d+)?$/.exec(name)?.[1];
  const line = `${method} ${plainPath(path)} ${plain(request)}`.trimEnd();
  return { at, machine: number ?? NO_MACHINE, line };
}

function nameIn(request: unknown): string | undefined {
  if (typeof request !== "object" || request === null || !("name" in request)) return undefined;
  return typeof request.name === "string" ? request.name : undefined;
}

/** How often a request was repeated depends on how long something took, so a row of equals is one. */
function byMachine(changes: readonly Change[]): Record<string, string[]> {
  const machines = Map.groupBy(changes, ({ machine }) => machine);
  return Object.fromEntries(Array.from(machines, ([machine, all]) => [machine, withoutRepeats(all)]));
}

function withoutRepeats(changes: readonly Change[]): string[] {
  return changes.map(({ line }) => line).filter((line, index, lines) => line !== lines[index - 1]);
}

function readLine(entry: ServiceEntry | GithubEntry): string {
  const [path = "", query = ""] = entry.path.split("?");
  const names = "query" in entry ? Object.keys(entry.query) : [...new URLSearchParams(query).keys()];
  return [plainPath(path), ...names.filter((name) => !/^(?:per_)?page$/.test(name)).toSorted()].join(" ");
}

function endLine({ exitCode, signal, log }: StageResult): string {
  return `${signal ?? exitCode} ${/^::error title=(\w+)::/m.exec(log)?.[1] ?? "no error"}`;
}

const DRAWN_OUTPUTS = /^(?:gpu-figures|instance-ids?|receipt|runner-names?|ssh-host|ssh-port|seconds-to-ready)$/;

function outputLine(outputs: StageResult["outputs"]): string[] {
  const lines = Object.entries(outputs).map(([name, value]) => (DRAWN_OUTPUTS.test(name) ? name : `${name}=${value}`));
  return lines.length === 0 ? [] : [lines.toSorted().join(" ")];
}

function plainPath(path: string): string {
  return path.replaceAll(/\/(instances|runners|jobs|ssh|volumes|template|log-files)\/(\w+\/)?\d+/g, "/$1/$2ID");
}

/** Writes a body without what is drawn: a mark, ids, times, ports, the length of the script. */
function plain(body: unknown): string {
  if (body === undefined) return "";
  return JSON.stringify(body)
    .replaceAll(/\bghr1\.(?:[a-z]{4})?\d+\.(\d+-\d+)\.[a-z0-9]{5,7}/g, "ghr1.$1")
    .replaceAll(/(\bghr1\.\d+-\d+\.\d+)\.\d+/g, "$1")
    .replaceAll(/-check-[0-9a-f]{8}/g, "-check")
    .replaceAll(/(gpu-[\w.-]*?)-[a-z0-9]{6}-((?:none-)?\d+)/g, "$1-$2")
    .replaceAll(/127\.0\.0\.1:\d+/g, "HOST")
    .replaceAll(/<\d+ characters>/g, "script")
    .replaceAll(':"…"', "");
}

function distinct(lines: readonly string[]): string[] {
  return [...new Set(lines)].toSorted();
}
