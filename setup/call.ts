import type { YAMLMap } from "yaml";
import { readSetting } from "./setting-forms.ts";
import { NAMES } from "./setting-nodes.ts";
import { SetupError } from "./setup-error.ts";
import { gpuWorkflow, SECRETS, type Settings } from "./workflows.ts";
import type { Yaml } from "./yaml-file.ts";

const INPUTS = { ...NAMES, appClientId: "app-client-id", environment: "environment" } as const;
/** The call's own limit was an hour, twice this. */
const USUAL_MINUTES = 30;

/** The two jobs in the place of one that called gpu.yml; undefined: it has what only a person can carry over. */
export function jobsOfCall(yaml: Yaml, job: YAMLMap, maxCost: number): string | undefined {
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
