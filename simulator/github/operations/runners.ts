import { z } from "zod";
import { type Answer, json, notFound, refusal } from "../http/answer.ts";
import type { OrganisationOperation, RepositoryOperation } from "../http/operation.ts";
import { paginate } from "../http/paginate.ts";
import { jitConfig } from "../runners/runners.ts";
import { wireRunner } from "../wire.ts";

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

/** Shows a runner; one that had its job some seconds ago, was removed or was dropped is not found. */
export const getRunner: RepositoryOperation = {
  name: "getRunner",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runners/:id",
  permission: "administration=read",
  handle: ({ world, home, params }) => {
    const runner = world.runners.find(home, Number(params.id));
    return runner ? json(200, wireRunner(runner, world.dispatcher.isOnline(runner))) : notFound();
  },
};

/** The same of an organisation. */
export const getOrgRunner: OrganisationOperation = {
  ...getRunner,
  of: "organisation",
  name: "getOrgRunner",
  path: "/orgs/:org/actions/runners/:id",
  permission: "organization_self_hosted_runners=read",
};

/** Lists the runner archives that this repository is offered, with their checksums. */
export const listDownloads: RepositoryOperation = {
  name: "listDownloads",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runners/downloads",
  permission: "administration=read",
  handle: ({ world }) => {
    const downloads = world.runnerPackage.downloads().map(({ os, architecture, filename, sha256 }) => ({
      os,
      architecture,
      download_url: `${world.url}/_downloads/${filename}`,
      filename,
      ...(sha256 === null ? {} : { sha256_checksum: sha256 }),
    }));
    return json(200, downloads);
  },
};

/** The same of an organisation. */
export const listOrgDownloads: OrganisationOperation = {
  ...listDownloads,
  of: "organisation",
  name: "listOrgDownloads",
  path: "/orgs/:org/actions/runners/downloads",
  permission: "organization_self_hosted_runners=read",
};

/** Lists the runners of a repository. */
export const listRunners: RepositoryOperation = {
  name: "listRunners",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runners",
  permission: "administration=read",
  handle: (call) => {
    const { world, home, query } = call;
    // SPEC-SILENT: `name` is equal or contained. Here contained: a caller must compare again.
    const named = world.runners.all(home).filter(({ name }) => name.includes(query.get("name") ?? ""));
    const { page, headers } = paginate(call, named);
    const runners = page.map((runner) => wireRunner(runner, world.dispatcher.isOnline(runner)));
    return json(200, { total_count: named.length, runners }, headers);
  },
};

/** The same of an organisation. */
export const listOrgRunners: OrganisationOperation = {
  ...listRunners,
  of: "organisation",
  name: "listOrgRunners",
  path: "/orgs/:org/actions/runners",
  permission: "organization_self_hosted_runners=read",
};

/** Removes a runner, unless it runs a job, or ran one until some seconds ago: then it is nobody's to take away. */
export const removeRunner: RepositoryOperation = {
  name: "removeRunner",
  method: "DELETE",
  path: "/repos/:owner/:repo/actions/runners/:id",
  permission: "administration=write",
  handle: ({ world, home, params }) => {
    const runner = world.runners.find(home, Number(params.id));
    if (runner === undefined) return notFound();
    if (runner.job) return refusal(422, `Runner "${runner.name}" is currently running a job and cannot be deleted.`);
    world.dispatcher.drop(runner);
    world.runners.takenAway.add(runner.id);
    return { status: 204 };
  },
};

/** The same of an organisation. */
export const removeOrgRunner: OrganisationOperation = {
  ...removeRunner,
  of: "organisation",
  name: "removeOrgRunner",
  path: "/orgs/:org/actions/runners/:id",
  permission: "organization_self_hosted_runners=write",
};
