import type { Context } from "./context.ts";
import type { Facts } from "./facts.ts";
import { type GpuKind, marketTable, proposeCost, proposeGpu, proposePrice } from "./market.ts";
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
  screen.say(
    `  ${proposal.because}. How much GPU memory it needs is not known, so ${proposal.memoryGb} GB are proposed.`,
  );
  const gpu = await askGpu(context, kinds, { old: old.gpu, memoryGb: proposal.memoryGb });
  const command =
    options.run ??
    readSetting(
      "command",
      await questions.line("The GPU job's command", old.command ?? proposal.command),
      "The GPU job's command",
    );
  const image = options.image ?? old.image ?? (await firstThere(proposal.images));
  const known = jobMinutes === undefined ? {} : { jobMinutes };
  const money = moneyOf(context, kinds, { gpu, old, limit: jobLimit(known) });
  return { gpu, ...money, ...known, image, command, ...identityOf(context, facts, old) };
}

function moneyOf(
  { options }: Context,
  kinds: readonly GpuKind[],
  { gpu, old, limit }: { gpu: string; old: Partial<Settings>; limit: number },
): Pick<Settings, "maxPrice" | "maxCost"> {
  const isSame = old.gpu === gpu;
  const maxPrice = options.maxPrice ?? (isSame ? old.maxPrice : undefined) ?? priceFor(kinds, gpu);
  const maxCost = options.maxCost ?? (isSame ? old.maxCost : undefined) ?? proposeCost(maxPrice, limit);
  return { maxPrice, maxCost };
}

/** Who registers the runners, where the secrets are, and whose action it is. */
function identityOf(context: Context, facts: Facts, old: Partial<Settings>) {
  const { options } = context;
  const appClientId = options.appClientId ?? old.appClientId;
  return {
    register: options.register ?? old.register ?? "app",
    ...(appClientId !== undefined && { appClientId }),
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
  const proposed = old ?? (proposeGpu(kinds, memoryGb).join(", ") || (kinds[0]?.name ?? ""));
  const names = kinds.map(({ name }) => name);
  const others = names.filter((name) => name !== proposed);
  const choices = [proposed, ...others].map((name) => ({ value: name, label: name }));
  return await questions.choose("Which GPU? Take one that your tests fit on", choices, proposed);
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

function priceFor(kinds: readonly GpuKind[], gpu: string): number {
  const price = proposePrice(
    kinds,
    gpu.split(",").map((name) => name.trim()),
  );
  if (price !== undefined) return price;
  throw new SetupError(`Nobody offers a machine with ${gpu} now.`, "Give --gpu or --max-price.");
}
