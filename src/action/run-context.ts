import { z } from "zod";
import { UserError } from "../shared/user-error.ts";

/** Where this step runs, as the platform tells it. */
export interface RunContext {
  owner: string;
  repo: string;
  /** Undefined where the platform does not tell it: then GitHub is asked. */
  repositoryId: number | undefined;
  runId: number;
  attempt: number;
  /** The job's key in the workflow. */
  jobName: string;
  runnerName: string | undefined;
  apiUrl: string;
  serverUrl: string;
  /** The label that the GPU job asks for. */
  runnerLabel: string;
}

/** This is not a step of a workflow, or the platform left out what we cannot do without. */
export class PlatformError extends UserError {
  override readonly name = "PlatformError";

  constructor(missing: readonly string[]) {
    super(`The platform did not set ${missing.join(", ")}.`, {
      hint: "Run this as a step of a GitHub Actions workflow.",
    });
  }
}

const wholeNumber = z.coerce.number().int().positive();
const schema = z.object({
  GITHUB_REPOSITORY: z.string().regex(/^[^/\s]+\/[^/\s]+$/),
  GITHUB_RUN_ID: wholeNumber,
  GITHUB_RUN_ATTEMPT: z.preprocess((value) => value || "1", wholeNumber),
  GITHUB_JOB: z.string().min(1),
  GITHUB_REPOSITORY_ID: z.preprocess((value) => value || undefined, wholeNumber.optional()),
  GITHUB_API_URL: z.preprocess((value) => value || "https://api.github.com", z.url()),
  GITHUB_SERVER_URL: z.preprocess((value) => value || "https://github.com", z.url()),
  RUNNER_NAME: z.string().optional(),
});

/** Reads the platform's variables, once. `name` is that of this use, empty when it has none. */
export function readRunContext(name = ""): RunContext {
  const read = schema.safeParse(process.env);
  if (!read.success) throw new PlatformError([...new Set(read.error.issues.map((issue) => String(issue.path[0])))]);
  const env = read.data;
  const [owner = "", repo = ""] = env.GITHUB_REPOSITORY.split("/");
  return {
    owner,
    repo,
    repositoryId: env.GITHUB_REPOSITORY_ID,
    runId: env.GITHUB_RUN_ID,
    attempt: env.GITHUB_RUN_ATTEMPT,
    jobName: env.GITHUB_JOB,
    runnerName: env.RUNNER_NAME || undefined,
    apiUrl: env.GITHUB_API_URL,
    serverUrl: env.GITHUB_SERVER_URL,
    runnerLabel: ["gpu", env.GITHUB_RUN_ID, env.GITHUB_RUN_ATTEMPT, ...(name ? [name] : [])].join("-"),
  };
}
