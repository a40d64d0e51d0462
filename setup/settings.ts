import type { Context } from "./context.ts";
import type { Facts } from "./facts.ts";
import { describeMarket, type GpuKind, marketTable, proposeCost, proposeGpu, proposePrice } from "./market.ts";
import { type Proposal, proposeFor } from "./proposal.ts";
import { lookUpImage, namesMeant } from "./service.ts";
import { readSetting } from "./setting-forms.ts";
import { SetupError } from "./setup-error.ts";
import { type ActionRelease, jobLimit, type Settings } from "./workflows.ts";

/** Asks which GPU and which command; proposes the rest. What the files say already is the first proposal. */
export async function askSettings(context: Context, facts: Facts, kinds: readonly GpuKind[]): Promise<Settings> {
  const { options, screen, questions } = context;
  if (kinds.length === 0)
    throw new SetupError("No machine with one GPU is on offer now.", "Run this again later. Nothing was changed.");
  const old: Partial<Settings> = facts.settings ?? {};
  const proposal = proposeFor(facts.checkout.root);
  screen.head("What is on the market now");
  const jobMinutes = options.jobMinutes ?? old.jobMinutes;
  screen.table(marketTable(kinds, jobMinutes));
  for (const line of proposal.says) screen.say(`  ${line}`);
  const gpu = await askGpu(context, kinds, { old: old.gpu, memoryGb: proposal.memoryGb });
  const command =
    options.run ??
    readSetting(
      "command",
      await questions.line("The GPU job's command", old.command ?? proposal.command),
      "The GPU job's command",
    );
  const known = jobMinutes === undefined ? {} : { jobMinutes };
  const money = moneyOf(context, kinds, { gpu, old, limit: jobLimit(known) });
  return {
    gpu,
    ...money,
    ...known,
    ...(await imageOf(options, old, proposal)),
    command,
    ...identityOf(context, facts, old),
  };
}

async function imageOf(
  options: Context["options"],
  old: Partial<Settings>,
  { images, minCuda }: Proposal,
): Promise<Pick<Settings, "image" | "minCuda">> {
  const image = options.image ?? old.image;
  if (image === undefined) return { image: await firstThere(images), minCuda };
  return { image, minCuda: image === old.image ? old.minCuda : options.minCuda };
}

function moneyOf(
  { options }: Context,
  kinds: readonly GpuKind[],
  { gpu, old, limit }: { gpu: string; old: Partial<Settings>; limit: number },
): Pick<Settings, "maxPrice" | "proposed" | "maxCost"> {
  const isSame = old.gpu === gpu;
  const is = isSame ? old : {};
  const names = gpu.split(",").map((name) => name.trim());
  const given = options.maxPrice ?? is.maxPrice;
  const maxPrice = given ?? priceFor(kinds, names);
  const kept = options.maxPrice === undefined ? is.proposed : options.proposed;
  const proposed = given === undefined ? describeMarket(kinds, names, maxPrice) : kept;
  const maxCost = options.maxCost ?? is.maxCost ?? proposeCost(maxPrice, limit);
  return { maxPrice, proposed, maxCost };
}

/** Who registers the runners, where the secrets are, and whose action it is. */
function identityOf(context: Context, facts: Facts, old: Partial<Settings>) {
  const { options } = context;
  const appClientId = options.appClientId ?? old.appClientId;
  const runnerGroupId = options.runnerGroupId ?? old.runnerGroupId;
  return {
    register: options.register ?? old.register ?? "app",
    ...(appClientId !== undefined && { appClientId }),
    ...(runnerGroupId !== undefined && { runnerGroupId }),
    ...(hasEnvironment(context, facts) && { environment: facts.environments[0]?.name }),
    pullRequests: options.pullRequests ?? old.pullRequests ?? true,
    defaultBranch: facts.repository.default_branch,
    action: actionOf(context),
  } as const;
}

/** The first image that its registry has. The last one is taken without asking, because the check tests it. */
export async function firstThere(images: Proposal["images"], look = lookUpImage): Promise<string> {
  for (const image of images.slice(0, -1)) {
    const { answer } = await look(image);
    if (answer.kind === "found") return image;
  }
  return images.at(-1) ?? images[0];
}

/** Files that name none stay so, unless one is asked for. */
function hasEnvironment({ options }: Context, { hasEnvironments, settings }: Facts): boolean {
  const isUnused = settings !== undefined && settings.environment === undefined;
  return options.environment !== null && hasEnvironments && (options.environment !== undefined || !isUnused);
}

/** Which action the files use. Throws where that is not known. */
export function actionOf({ action }: Pick<Context, "action">): ActionRelease {
  if (action !== undefined) return action;
  throw new SetupError(
    "It is not known whose ephemeral-gpu-runner the workflow shall use.",
    "Run this from a clone with a remote origin, or set ACTION_REPOSITORY to OWNER/ephemeral-gpu-runner.",
  );
}

async function askGpu(
  { options, questions }: Context,
  kinds: readonly GpuKind[],
  { old, memoryGb }: { old: string | undefined; memoryGb: number },
): Promise<string> {
  if (options.gpu !== undefined) return offeredNames(kinds, options.gpu).join(", ");
  const all = kinds.map(({ name }) => name);
  const proposed = old?.split(",").map((name) => name.trim()) ?? proposeGpu(kinds, memoryGb);
  const names = [...new Set([...proposed, ...all])];
  const message = "Which GPUs do your tests fit on? More names find a machine sooner and cheaper (space marks one)";
  const chosen = await questions.several(message, names, proposed.length > 0 ? proposed : all.slice(0, 1));
  return chosen.join(", ");
}

/** The market's own spelling of what was asked for. */
function offeredNames(kinds: readonly GpuKind[], given: string): string[] {
  const offered = kinds.map(({ name }) => name);
  return given.split(",").map((part) => {
    const [name, ...others] = namesMeant(part.trim(), offered);
    if (name !== undefined && others.length === 0) return name;
    const which = name === undefined ? offered : [name, ...others];
    throw new SetupError(
      name === undefined ? `Nobody offers a machine with one ${part.trim()} now.` : `${part.trim()} is no single GPU.`,
      `Take one of these: ${which.join(", ")}.`,
    );
  });
}

function priceFor(kinds: readonly GpuKind[], names: readonly string[]): number {
  const price = proposePrice(kinds, names);
  if (price !== undefined) return price;
  throw new SetupError(`No host offers a machine with ${names.join(" or ")} now.`, "Give --gpu or --max-price.");
}
