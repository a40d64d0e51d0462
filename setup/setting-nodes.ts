import { createHash } from "node:crypto";
import { isScalar, type Node } from "yaml";
import { SetupError } from "./setup-error.ts";
import { rangeOf, Yaml } from "./yaml-file.ts";

/** A step that rents, and the job that it is in. */
interface RentStep {
  job: string;
  step: Node;
}

/** What the file calls each setting; the inputs of the step that rents, and two others. */
export const NAMES = {
  gpu: "gpu-name",
  maxPrice: "max-price",
  maxCost: "max-cost",
  jobMinutes: "job-minutes",
  minCuda: "min-cuda",
  image: "image",
  command: "run",
  appClientId: "client-id",
  runnerGroupId: "runner-group-id",
} as const;

/** The parts of a workflow that each hold one setting. */
type SettingNodes = Record<keyof typeof NAMES | "defaultBranch" | "action", Node | undefined>;

/** All steps of a workflow that rent: by the inputs that each of them must have. */
export function rentSteps(yaml: Yaml): RentStep[] {
  const isRent = (step: Node) => ["api-key", "max-price"].every((name) => yaml.keysAt(["with"], step).includes(name));
  return yaml.keysAt(["jobs"]).flatMap((job) =>
    yaml
      .listAt(["jobs", job, "steps"])
      .filter(isRent)
      .map((step) => ({ job, step })),
  );
}

/** Finds what holds the settings in a workflow that init wrote, whatever was put around it. */
export function settingNodes(yaml: Yaml): SettingNodes {
  const [rent] = rentSteps(yaml);
  const inputs = Object.entries(NAMES).map(([key, name]) => [key, yaml.at(["with", name], rent?.step ?? null)]);
  const isApp = (step: Node) => String(yaml.valueAt(["uses"], step)).startsWith("actions/create-github-app-token@");
  const app = rent && yaml.listAt(["jobs", rent.job, "steps"]).find(isApp);
  const runs = yaml.listAt(["jobs", "test", "steps"]).map((step) => yaml.at(["run"], step));
  const [sweep] = yaml.listAt(["jobs", "sweep", "steps"]);
  const action = yaml.at(["uses"], rent?.step ?? sweep ?? null);
  return {
    ...(Object.fromEntries(inputs) as SettingNodes),
    command: runs.findLast((run) => run !== undefined),
    appClientId: yaml.at(["with", "client-id"], app ?? null),
    defaultBranch: yaml.at(["on", "push", "branches", 0]),
    action: isScalar(action) ? action : undefined,
  };
}

/** What was said of the market behind a price, by init alone; undefined: nothing. */
export function proposedIn(maxPrice: Node | undefined): string | undefined {
  return /^ USD an hour, (proposed on [\d-]{10}, [\w ,.+-]{1,300})$/.exec(maxPrice?.comment ?? "")?.[1];
}

const MARK = "# Made by init of the ephemeral GPU runner";

/** Puts the mark over a workflow: it is ours as long as nothing but a setting differs from what we wrote. */
export function marked(body: string): string {
  return `${MARK}, sum ${sumOf(body)}. Run it again to check or change this.\n${body}`;
}

/** What stands below the mark; undefined: there is none. */
export function bodyOf(text: string): string | undefined {
  const unix = text.replaceAll("\r\n", "\n");
  return unix.startsWith(MARK) ? unix.slice(unix.indexOf("\n") + 1) : undefined;
}

/** Whose a file is: ours as we wrote it, ours and changed since, or another's. */
export function ownership(text: string): "ours" | "changed" | "foreign" {
  const body = bodyOf(text);
  const [, sum] = /^.*, sum ([0-9a-f]{16})\. /.exec(text) ?? [];
  if (body === undefined || sum === undefined) return "foreign";
  try {
    return sumOf(body) === sum ? "ours" : "changed";
  } catch (fault) {
    if (fault instanceof SetupError) return "changed";
    throw fault;
  }
}

/** A sum over all but the settings, so that a setting may be changed in the file itself. */
function sumOf(body: string): string {
  const holes = Object.entries(settingNodes(new Yaml(body))).map(([key, node]) => {
    const [start, end] = rangeOf(node);
    // The comment behind an action names its version, that behind a proposed price its market: they change with them.
    const hasComment =
      (key === "action" && node !== undefined) || (key === "maxPrice" && proposedIn(node) !== undefined);
    return { start, end: hasComment ? body.indexOf("\n", start) : end };
  });
  let rest = body;
  for (const hole of holes.toSorted((one, other) => other.start - one.start))
    rest = rest.slice(0, hole.start) + rest.slice(hole.end);
  return createHash("sha256").update(rest).digest("hex").slice(0, 16);
}
