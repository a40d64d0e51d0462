import { z } from "zod";
import type { Answer } from "../../http/deliver.ts";
import { counted, json, NO_CONTENT, notFound, refusal } from "../http/answer.ts";
import type { HomeCall } from "../http/route.ts";
import type { OperationName } from "../operation-name.ts";
import { jitConfig, type Runner } from "../runners/runners.ts";
import { wireRunner } from "../wire.ts";

const DEFAULT_GROUP = 1;
/** The group of GitHub's own machines, in which nobody may register. */
const HOSTED_GROUP = 2;
/** Groups are for organisations. Here each has the one with this number. */
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
function generateJitConfig({ world, home, json: body }: HomeCall): Answer {
  const parsed = Body.safeParse(body ?? {});
  if (!parsed.success) return invalid(parsed.error);
  const { name, runner_group_id: groupId, labels, work_folder: workFolder } = parsed.data;
  if (groupId === HOSTED_GROUP) return refusal(403, "Runners cannot be added to this runner group.");
  const groups = home.includes("/") ? [DEFAULT_GROUP] : [DEFAULT_GROUP, ORGANISATION_GROUP];
  if (!groups.includes(groupId)) return notFound();
  // SPEC-SILENT: whether two names that differ only in case are the same. Here they are.
  if (world.runners.all(home).some((runner) => runner.name.toLowerCase() === name.toLowerCase()))
    return refusal(409, "Already exists - A runner with the name *** already exists.");
  const runner = world.runners.register({ home, name, labels, groupId, workFolder });
  return json(201, { runner: wireRunner(runner, false), encoded_jit_config: jitConfig(runner, world.url) });
}

function invalid(error: z.ZodError): Answer {
  const issue = error.issues[0];
  const field = issue?.path.join("/") ?? "";
  const missing = issue?.code === "invalid_type" && issue.message.includes("undefined");
  if (missing) return refusal(422, `Invalid request.\n\nobject is missing required key: ${field}`);
  return refusal(422, `Invalid request.\n\nInvalid property /${field}: ${issue?.message}`);
}

function meant({ world, home, params }: HomeCall): Runner | undefined {
  return world.runners.find(Number(params.id), home);
}

/** Shows a runner; one that had its job some seconds ago, was removed or was dropped is not found. */
function getRunner(call: HomeCall): Answer {
  const runner = meant(call);
  return runner ? json(200, wireRunner(runner, call.world.dispatcher.isOnline(runner))) : notFound();
}

function listDownloads({ world }: HomeCall): Answer {
  const downloads = world.runnerPackage.downloads().map(({ os, architecture, filename, sha256 }) => ({
    os,
    architecture,
    download_url: `${world.url}/_downloads/${filename}`,
    filename,
    ...(sha256 === null ? {} : { sha256_checksum: sha256 }),
  }));
  return json(200, downloads);
}

/** SPEC-SILENT: `name` is equal or contained. Here contained: a caller must compare again. */
function listRunners(call: HomeCall): Answer {
  const { runners, dispatcher } = call.world;
  const named = runners.all(call.home).filter(({ name }) => name.includes(call.query.get("name") ?? ""));
  return counted(call, "runners", named, (runner) => wireRunner(runner, dispatcher.isOnline(runner)));
}

/** Removes a runner, unless it runs a job, or ran one until some seconds ago: then it is nobody's to take away. */
function removeRunner(call: HomeCall): Answer {
  const runner = meant(call);
  if (runner === undefined) return notFound();
  if (runner.job) return refusal(422, `Runner "${runner.name}" is currently running a job and cannot be deleted.`);
  call.world.dispatcher.drop(runner);
  runner.isTakenAway = true;
  return NO_CONTENT;
}

/** What a repository and an organisation answer alike. */
export const HOME_OPERATIONS: Partial<Record<OperationName, (call: HomeCall) => Answer>> = {
  ...{ generateJitConfig, getRunner, listDownloads, listRunners, removeRunner },
  generateOrgJitConfig: generateJitConfig,
  getOrgRunner: getRunner,
  listOrgDownloads: listDownloads,
  listOrgRunners: listRunners,
  removeOrgRunner: removeRunner,
};
