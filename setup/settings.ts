import type { Context } from "./context.ts";
import type { Facts } from "./facts.ts";
import { describeMarket, type GpuKind, marketTable, namesIn, proposeCost, proposeGpu, proposePrice } from "./market.ts";
import type { Options } from "./options.ts";
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
  const said = { ...old, ...options };
  const { register = "app", pullRequests = true, jobMinutes, appClientId, runnerGroupId } = said;
  screen.head("What is on the market now");
  screen.table(marketTable(kinds, jobMinutes));
  for (const line of proposal.says) screen.say(`  ${line}`);
  const fitting = old.gpu === undefined ? proposeGpu(kinds, proposal.memoryGb) : namesIn(old.gpu);
  const gpu = await askGpu(context, kinds, fitting);
  const name = "The GPU job's command";
  const ask = async () => readSetting("command", await questions.line(name, old.command ?? proposal.command), name);
  const command = options.command ?? (await ask());
  const money = moneyOf(options, kinds, { gpu, old, limit: jobLimit({ jobMinutes }) });
  const image = said.image ?? (await firstThere(proposal.images));
  const minCuda = options.image === undefined || options.image === old.image ? old.minCuda : options.minCuda;
  return {
    ...{ gpu, ...money, image, minCuda: said.image === undefined ? proposal.minCuda : minCuda, command, jobMinutes },
    ...{ register, appClientId, runnerGroupId, environment: environmentFor(options, facts), pullRequests },
    defaultBranch: facts.repository.default_branch,
    action: actionOf(context),
  };
}

function moneyOf(
  options: Options,
  kinds: readonly GpuKind[],
  { gpu, old, limit }: { gpu: string; old: Partial<Settings>; limit: number },
): Pick<Settings, "maxPrice" | "proposed" | "maxCost"> {
  const is = old.gpu === gpu ? old : {};
  const names = namesIn(gpu);
  const given = options.maxPrice ?? is.maxPrice;
  const maxPrice = given ?? proposePrice(kinds, names);
  if (maxPrice === undefined)
    throw new SetupError(`No host offers a machine with ${names.join(" or ")} now.`, "Give --gpu or --max-price.");
  const kept = options.maxPrice === undefined ? is.proposed : options.proposed;
  const proposed = given === undefined ? describeMarket(kinds, names, maxPrice) : kept;
  return { maxPrice, proposed, maxCost: options.maxCost ?? is.maxCost ?? proposeCost(maxPrice, limit) };
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
function environmentFor({ environment }: Options, { hasEnvironments, environments, settings }: Facts) {
  const isUnused = settings !== undefined && settings.environment === undefined;
  const isWanted = environment !== false && hasEnvironments && (environment !== undefined || !isUnused);
  return isWanted ? environments[0]?.name : undefined;
}

/** Which action the files use. Throws where that is not known. */
function actionOf({ action }: Context): ActionRelease {
  if (action !== undefined) return action;
  throw new SetupError(
    "It is not known whose ephemeral-gpu-runner the workflow shall use.",
    "Run this from a clone with a remote origin, or set ACTION_REPOSITORY to OWNER/ephemeral-gpu-runner.",
  );
}

async function askGpu({ options, questions }: Context, kinds: readonly GpuKind[], proposed: readonly string[]) {
  if (options.gpu !== undefined) return offeredNames(kinds, options.gpu).join(", ");
  const all = kinds.map(({ name }) => name);
  const names = [...new Set([...proposed, ...all])];
  const message = "Which GPUs do your tests fit on? More names find a machine sooner and cheaper (space marks one)";
  const chosen = await questions.several(message, names, proposed.length > 0 ? proposed : all.slice(0, 1));
  return chosen.join(", ");
}

/** The market's own spelling of what was asked for. */
function offeredNames(kinds: readonly GpuKind[], given: string): string[] {
  const offered = kinds.map(({ name }) => name);
  return namesIn(given).map((part) => {
    const [name, ...others] = namesMeant(part, offered);
    if (name !== undefined && others.length === 0) return name;
    const which = name === undefined ? offered : [name, ...others];
    throw new SetupError(
      name === undefined ? `Nobody offers a machine with one ${part} now.` : `${part} is no single GPU.`,
      `Take one of these: ${which.join(", ")}.`,
    );
  });
}
