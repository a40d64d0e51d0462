import { isScalar, type Node } from "yaml";
import type { Yaml } from "./yaml-file.ts";

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
  const app = rent && yaml.listAt(["jobs", rent.job, "steps"]).find((step) => usesOf(yaml, step).startsWith(APP_TOKEN));
  const runs = yaml.listAt(["jobs", "test", "steps"]).map((step) => yaml.at(["run"], step));
  return {
    ...(Object.fromEntries(inputs) as SettingNodes),
    command: runs.findLast((run) => run !== undefined),
    appClientId: yaml.at(["with", "client-id"], app ?? null),
    defaultBranch: yaml.at(["on", "push", "branches", 0]),
    action: actionNode(yaml, rent),
  };
}

/** What was said of the market behind a price, by init alone; undefined: nothing. */
export function proposedIn(maxPrice: Node | undefined): string | undefined {
  return /^ USD an hour, (proposed on [\d-]{10}, [\w ,.+-]{1,300})$/.exec(maxPrice?.comment ?? "")?.[1];
}

/** The action that makes an app's token. */
const APP_TOKEN = "actions/create-github-app-token@";

function usesOf(yaml: Yaml, step: Node): string {
  return String(yaml.valueAt(["uses"], step) ?? "");
}

/** What names the action: of the step that rents, or of a sweep. */
function actionNode(yaml: Yaml, rent: RentStep | undefined): Node | undefined {
  const [step] = yaml.listAt(["jobs", "sweep", "steps"]);
  const node = yaml.at(["uses"], rent?.step ?? step ?? null);
  return isScalar(node) ? node : undefined;
}
