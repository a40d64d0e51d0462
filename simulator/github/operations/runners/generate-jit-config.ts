import { z } from "zod";
import { type Answer, json, notFound, refusal } from "../../http/answer.ts";
import type { OrganisationOperation, RepositoryOperation } from "../../http/operation.ts";
import { jitConfig } from "../../runners/jit-config.ts";
import { wireRunner } from "../../wire/wire-runner.ts";

const DEFAULT_GROUP = 1;
/** The group of GitHub's own machines, in which nobody may register. */
const HOSTED_GROUP = 2;
const ORGANISATION_GROUP = 3;

const label = z
  .string()
  .min(1)
  .refine((text) => text.length < 256, "Labels must be less than 256 characters in length");
const Body = z.object({
  name: z.string().min(1).max(64),
  runner_group_id: z.int(),
  labels: z.array(label).min(1).max(100),
  work_folder: z.string().min(1).default("_work"),
});

/** Registers a single-use runner and returns its configuration, which is a secret. */
export const generateJitConfig: RepositoryOperation = {
  name: "generateJitConfig",
  method: "POST",
  path: "/repos/:owner/:repo/actions/runners/generate-jitconfig",
  permission: "administration=write",
  handle: ({ world, home, body }) => {
    const parsed = Body.safeParse(body ?? {});
    if (!parsed.success) return invalid(parsed.error);
    const { name, runner_group_id: groupId, labels, work_folder: workFolder } = parsed.data;
    if (groupId === HOSTED_GROUP) return refusal(403, "Runners cannot be added to this runner group.");
    if (groupId !== DEFAULT_GROUP && !isGroupOf(home, groupId)) return notFound();
    // SPEC-SILENT: whether two names that differ only in case are the same. Here they are.
    if (world.runners.all(home).some((runner) => runner.name.toLowerCase() === name.toLowerCase())) {
      return refusal(409, "Already exists - A runner with the name *** already exists.");
    }
    const runner = world.runners.register({ home, name, labels, groupId, workFolder });
    return json(201, { runner: wireRunner(runner, false), encoded_jit_config: jitConfig(runner, world.url) });
  },
};

/** The same of an organisation. */
export const generateOrgJitConfig: OrganisationOperation = {
  ...generateJitConfig,
  of: "organisation",
  name: "generateOrgJitConfig",
  path: "/orgs/:org/actions/runners/generate-jitconfig",
  permission: "organization_self_hosted_runners=write",
};

/** Groups are for organisations. Here each has the one with this number. */
function isGroupOf(home: string, groupId: number): boolean {
  return !home.includes("/") && groupId === ORGANISATION_GROUP;
}

function invalid(error: z.ZodError): Answer {
  const issue = error.issues[0];
  const field = issue?.path.join("/") ?? "";
  const missing = issue?.code === "invalid_type" && issue.message.includes("undefined");
  if (missing) return refusal(422, `Invalid request.\n\nobject is missing required key: ${field}`);
  return refusal(422, `Invalid request.\n\nInvalid property /${field}: ${issue?.message}`);
}
