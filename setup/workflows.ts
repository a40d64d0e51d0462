import { parse } from "yaml";
import { marked } from "./setting-nodes.ts";

/** What registers the runners. */
export type Registration = "token" | "app";

/** Which action the files use: a release by its commit, or a moving tag before there is one. */
export interface ActionRelease {
  /** owner/name */
  repository: string;
  /** A commit, or a tag. */
  ref: string;
  /** The version behind a commit. */
  version?: string | undefined;
}

/** All that the files of one repository depend on. */
export interface Settings {
  gpu: string;
  maxPrice: number;
  /** The market on which it was proposed. */
  proposed?: string | undefined;
  maxCost: number | "none";
  /** How long the GPU job usually takes, where that was said. */
  jobMinutes?: number | undefined;
  /** The least CUDA of the host, where the image does not say it. */
  minCuda?: string | undefined;
  image: string;
  command: string;
  register: Registration;
  appClientId?: string | undefined;
  /** The organisation's group that the runners are in; undefined: they are the repository's. */
  runnerGroupId?: number | undefined;
  /** Of the default branch and its merge queue; undefined: the secrets are the repository's. */
  environment?: string | undefined;
  /** Whether pull requests rent, too. */
  pullRequests: boolean;
  defaultBranch: string;
  action: ActionRelease;
}

/** A file that somebody else may have written, with as little changed as can be. */
export interface Edit {
  path: string;
  before: string;
  after: string;
}

export const GPU_WORKFLOW = ".github/workflows/gpu.yml";
/** All that init writes. */
export const WORKFLOW_PATHS = [
  GPU_WORKFLOW,
  ".github/workflows/gpu-sweep.yml",
  ".github/workflows/gpu-sweep-scheduled.yml",
] as const;
/** All that it may put into an environment, or the repository. */
export const SECRETS: readonly string[] = ["RENTAL_API_KEY", "RUNNER_TOKEN", "APP_PRIVATE_KEY"];
const USUAL_LIMIT = 30;
/** A machine's deadline as the action has it, less the time that it needs beside its job. */
const USUAL_LIFETIME = 110;

/** So many minutes the GPU job may take: twice what it usually does. */
export function jobLimit({ jobMinutes = 0 }: Pick<Settings, "jobMinutes">): number {
  return Math.max(USUAL_LIMIT, 2 * jobMinutes);
}

function jobLines({ jobMinutes }: Settings): string {
  if (jobMinutes === undefined) return "";
  const limit = jobLimit({ jobMinutes });
  const lifetime = limit > USUAL_LIFETIME ? `          max-lifetime: ${limit + 10}m\n` : "";
  return `          job-minutes: ${scalar(jobMinutes)}\n${lifetime}`;
}

const CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1";
const APP_TOKEN = "actions/create-github-app-token@1b10c78c7865c340bc4f6099eb2f838309f1e8c3 # v3.1.1";
/** Keeps off the runs that have no secrets. */
function condition({ pullRequests }: Settings): string {
  const ofForks = "(!github.event.pull_request || github.event.pull_request.head.repo.full_name == github.repository)";
  return `\${{ github.actor != 'dependabot[bot]'${pullRequests ? ` && ${ofForks}` : ""} }}`;
}

/** The environment of pull requests, by the name of the one of the default branch. */
export function pullEnvironment(environment: string): string {
  return `${environment}-pr`;
}

/** All environments that hold the secrets. */
export function environmentsOf({ environment, pullRequests }: Pick<Settings, "environment" | "pullRequests">) {
  if (environment === undefined) return [];
  return pullRequests ? [environment, pullEnvironment(environment)] : [environment];
}

/** Writes all files for these settings. */
export function workflowFiles(settings: Settings) {
  const { repository } = settings.action;
  // A file may be somebody's for years.
  const renewal = `# To renew it: npx https://github.com/${repository}/releases/latest/download/setup.tgz
# What it does: https://github.com/${repository}/blob/main/docs/init.md
`;
  const texts = [
    gpuWorkflow(settings),
    `name: gpu-sweep\non:\n${AFTER_RUNS}${sweepJob(settings)}`,
    `name: gpu-sweep-scheduled\non:\n${EVERY_SIX_HOURS}${sweepJob(settings)}`,
  ];
  return WORKFLOW_PATHS.map((path, index) => ({ path, text: marked(`${renewal}${texts[index] ?? ""}`) }));
}

function use({ repository, ref, version }: ActionRelease, path = ""): string {
  return `${repository}${path}@${ref}${version === undefined ? "" : ` # ${version}`}`;
}

/** A value of YAML on one line, which is read as this value and no other. */
function scalar(value: string | number): string {
  if (typeof value === "number") return String(value);
  const isPlain = /^[A-Za-z][\w./:,+ @-]*$/.test(value) && !/: |:$| $/.test(value) && parse(value) === value;
  return isPlain ? value : JSON.stringify(value);
}

function environmentLine({ environment }: Pick<Settings, "environment">): string {
  return environment === undefined ? "" : `    environment: ${scalar(environment)}\n`;
}

/** Whoever may push a branch may read what its runs may read: pull requests have an environment of their own. */
function rentEnvironmentLine(settings: Settings): string {
  const [environment, ofPulls] = environmentsOf(settings);
  if (ofPulls === undefined) return environmentLine(settings);
  return `    environment: \${{ github.event_name == 'pull_request' && '${ofPulls}' || '${environment}' }}\n`;
}

/** The right that registers runners, as an app has it. */
export function rightOf({ runnerGroupId }: Pick<Settings, "runnerGroupId">) {
  return runnerGroupId === undefined ? "administration" : "organization_self_hosted_runners";
}

function appStep(settings: Settings): string {
  const { register, appClientId = "" } = settings;
  if (register !== "app") return "";
  return `      - uses: ${APP_TOKEN}
        id: app
        with:
          client-id: ${scalar(appClientId)}
          private-key: \${{ secrets.APP_PRIVATE_KEY }}
          permission-${rightOf(settings).replaceAll("_", "-")}: write
`;
}

/** Writes the workflow that rents. */
export function gpuWorkflow(settings: Settings): string {
  const { gpu, maxPrice, proposed, maxCost, minCuda, image, command, register, runnerGroupId, defaultBranch } =
    settings;
  const token = register === "app" ? "steps.app.outputs.token" : "secrets.RUNNER_TOKEN";
  return `name: gpu
on:
  push:
    branches: [${scalar(defaultBranch)}]
${settings.pullRequests ? "  pull_request:\n" : ""}  workflow_dispatch:
permissions:
  contents: read
concurrency:
  group: gpu-\${{ github.event_name }}-\${{ github.ref }}
  cancel-in-progress: \${{ github.event_name == 'pull_request' }}
jobs:
  rent: # rents a machine for each GPU job that waits, and destroys it afterwards
    # Runs of ${settings.pullRequests ? "forks and " : ""}Dependabot have no secrets: they can rent nothing, and their GPU job would wait for a day.
    if: ${condition(settings)}
    runs-on: ubuntu-latest
    timeout-minutes: 350 # GitHub kills a hosted job at 360; ten minutes are left to give everything back
${rentEnvironmentLine(settings)}    permissions:
      actions: write # sees the GPU jobs; cancels the run if no machine can be had
    steps:
${appStep(settings)}      - uses: ${use(settings.action)}
        with:
          api-key: \${{ secrets.RENTAL_API_KEY }}
          github-token: \${{ ${token} }} # may register runners
${runnerGroupId === undefined ? "" : `          runner-scope: org\n          runner-group-id: ${runnerGroupId}\n`}          gpu-name: ${scalar(gpu)}
          max-price: ${scalar(maxPrice)}${proposed === undefined ? "" : ` # USD an hour, ${proposed}`}
          max-cost: ${scalar(maxCost)}
${jobLines(settings)}${minCuda === undefined ? "" : `          min-cuda: ${scalar(minCuda)} # the image's name does not say it\n`}          image: ${scalar(image)}
  test: # Give it no \`needs: rent\`: rent runs until this job is over, so each would wait for the other.
    if: ${condition(settings)} # as above
    runs-on: gpu-\${{ github.run_id }}-\${{ github.run_attempt }}
    timeout-minutes: ${jobLimit(settings)}
    cache-mode: none # the machine belongs to a stranger
    steps:
      - uses: ${CHECKOUT}
        with:
          persist-credentials: false
      - run: |
${command.replaceAll(/^/gm, "          ")}
`;
}

function sweepJob(settings: Settings): string {
  return `permissions: {}
concurrency:
  group: gpu-sweep
jobs:
  sweep:
    runs-on: ubuntu-latest
    timeout-minutes: 20
${environmentLine(settings)}    permissions:
      actions: write # sees which runs are over; cancels those that wait for nothing
    steps:
      - uses: ${use(settings.action, "/sweep")}
        with:
          api-key: \${{ secrets.RENTAL_API_KEY }}
`;
}

const AFTER_RUNS = `  workflow_run: # zizmor: ignore[dangerous-triggers] checks nothing out, and takes nothing from the run that started it
    workflows: [gpu] # the names of all workflows that rent
    types: [completed]
`;
const EVERY_SIX_HOURS = `  schedule:
    - cron: "17 */6 * * *"
  workflow_dispatch:
`;
