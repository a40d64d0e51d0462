import type { Finding } from "./check.ts";
import type { WorkflowText } from "./removed.ts";
import { UnreadableError, Yaml } from "./yaml-file.ts";

/** The label of a machine that a run rents, as workflows write it. */
const RENTED = /gpu-\$\{\{\s*github\.run_id\s*\}\}/;

/** Finds jobs on a rented machine that may ask for the workflow's cloud identity: the machine's owner can use it. */
export function findIdentity(workflows: readonly WorkflowText[]): Finding[] {
  return workflows.flatMap(({ path, text, why }) => (why === undefined ? jobsWithIdentity(path, text) : []));
}

function jobsWithIdentity(path: string, text: string): Finding[] {
  try {
    const yaml = new Yaml(text);
    const jobs = yaml.keysAt(["jobs"]).filter((job) => isRented(yaml, job) && hasIdentity(yaml, job));
    return jobs.map((job) => ({
      about: `${path}, job ${job}`,
      is: "bad",
      says: "id-token: write hands your cloud identity to the machine's owner. Remove it, and log in to the cloud in a job on a hosted runner.",
    }));
  } catch (fault) {
    // What can't be read is told with what is gone.
    if (fault instanceof UnreadableError) return [];
    throw fault;
  }
}

function isRented(yaml: Yaml, job: string): boolean {
  return RENTED.test(String(yaml.at(["jobs", job, "runs-on"]) ?? ""));
}

/** A job's own permissions replace those of the workflow. */
function hasIdentity(yaml: Yaml, job: string): boolean {
  const granted = yaml.at(["jobs", job, "permissions"]) ?? yaml.at(["permissions"]);
  return yaml.valueAt([], granted) === "write-all" || yaml.valueAt(["id-token"], granted) === "write";
}
