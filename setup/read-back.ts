import { isScalar, type Node } from "yaml";
import { type FormedSetting, readSetting } from "./setting-forms.ts";
import { bodyOf, NAMES, proposedIn, rentSteps, settingNodes } from "./setting-nodes.ts";
import { type ActionRelease, GPU_WORKFLOW, pullEnvironment, type Settings, workflowFiles } from "./workflows.ts";
import { UnreadableError, Yaml } from "./yaml-file.ts";

/** Reads the settings of a workflow that init wrote, by its keys. Throws where one has not the form of a setting. */
export function settingsIn(text: string): Settings {
  const yaml = new Yaml(text);
  const rents = rentSteps(yaml).map(({ job }) => job);
  const [job] = rents;
  if (job === undefined) throw new UnreadableError("has no job that rents");
  if (rents.length > 1)
    throw new UnreadableError(`has two steps that rent, in ${rents.join(" and ")}; init writes one`);
  const nodes = settingNodes(yaml);
  const read = <K extends keyof typeof NAMES>(key: K) => fromFile(key, NAMES[key], scalarOf(nodes[key]));
  const known = (["jobMinutes", "minCuda", "appClientId", "runnerGroupId"] as const).filter((key) => nodes[key]);
  const proposed = proposedIn(nodes.maxPrice);
  return {
    gpu: read("gpu"),
    maxPrice: read("maxPrice"),
    maxCost: read("maxCost"),
    ...(proposed !== undefined && { proposed }),
    ...Object.fromEntries(known.map((key) => [key, read(key)])),
    image: read("image"),
    command: read("command"),
    register: nodes.appClientId === undefined ? "token" : "app",
    ...environmentIn(yaml, job),
    pullRequests: yaml.keysAt(["on"]).includes("pull_request"),
    defaultBranch: fromFile("defaultBranch", "branches", scalarOf(nodes.defaultBranch)),
    action: actionOf(nodes.action),
  };
}

function fromFile<K extends FormedSetting>(key: K, name: string, value: unknown) {
  if (value === undefined) throw new UnreadableError(`has no ${name}`);
  return readSetting(key, value, `${name} in ${GPU_WORKFLOW}`);
}

/** The value of a scalar; of what is none, something that is no setting. */
function scalarOf(node: Node | undefined): unknown {
  if (node === undefined) return undefined;
  return isScalar(node) ? node.value : {};
}

const CHOICE = /^\$\{\{ github\.event_name == 'pull_request' && '([^']*)' \|\| '([^']*)' \}\}$/;

/** One environment for all, or the pair that init makes. */
function environmentIn(yaml: Yaml, job: string): Pick<Settings, "environment"> {
  const value = yaml.valueAt(["jobs", job, "environment"]);
  if (value === undefined) return {};
  const [, ofPulls, ofRest] = CHOICE.exec(String(value)) ?? [];
  const isPair = ofRest !== undefined && ofPulls === pullEnvironment(ofRest);
  return { environment: fromFile("environment", "environment", isPair ? ofRest : value) };
}

function actionOf(node: Node | undefined): ActionRelease {
  const uses = fromFile("action", "uses", scalarOf(node));
  const [repository = "", ref = ""] = uses.split("@");
  const version = /^ *(v[\w.-]+)/.exec(node?.comment ?? "")?.[1];
  return version === undefined ? { repository, ref } : { repository, ref, version };
}

/** Whether a file is what init writes for these settings, whatever its mark says. */
export function isAsWritten(path: string, text: string, settings: Settings): boolean {
  const file = workflowFiles(settings).find((each) => each.path === path);
  return file !== undefined && bodyOf(text) === bodyOf(file.text);
}
