import type { Context } from "./context.ts";
import { ENOUGH_MACHINES, type GpuKind, machinesBelow } from "./market.ts";
import { CI_PERMISSIONS, hintOf, isForeseen, type KeyRow, lookUpImage, Service, serviceUrl } from "./service.ts";
import { SetupError, wordsOf } from "./setup-error.ts";
import { jobLimit, type Settings } from "./workflows.ts";

/** One question, and its answer. `unknown`: it could not be asked. */
export interface Finding {
  about: string;
  is: "good" | "doubtful" | "bad" | "unknown";
  says: string;
}

/** A table of findings, worst things marked. */
export function showFindings({ screen }: Pick<Context, "screen">, findings: readonly Finding[]): void {
  const marks = { good: "✓", doubtful: "!", bad: "✗", unknown: "?" };
  for (const { about, is, says } of findings) screen.say(`  ${marks[is]} ${about}: ${says}`);
}

/** What the check looks at. */
export interface Checked {
  settings: Settings;
  kinds: readonly GpuKind[];
  /** Undefined: the key is in the secret alone. */
  ciKey: string | undefined;
}

/** Asks all that can be asked before the first run, with the keys at hand. It rents nothing. */
export async function checkAll(context: Context, checked: Checked): Promise<Finding[]> {
  const { settings, kinds, ciKey } = checked;
  return [
    await checkKey(context, ciKey),
    checkMachines(settings, kinds),
    checkMoney(settings),
    await checkImage(settings),
  ];
}

/** Throws when something is bad. */
export function refuseBad(findings: readonly Finding[]): void {
  const bad = findings.filter(({ is }) => is === "bad");
  if (bad.length === 0) return;
  throw new SetupError(
    `The check is red: ${bad.map(({ about, says }) => `${about}: ${says}`).join(" ")} Nothing was committed and nothing is rented.`,
    "Repair that and run this again: it goes on from there.",
  );
}

/** Whether a key may do what CI needs, and no more. */
export function rightsFinding(about: string, { id, permissions }: Pick<KeyRow, "id" | "permissions">): Finding {
  if (permissions === undefined) return { about, is: "good", says: `it is there (${id}).` };
  const lacks = CI_PERMISSIONS.filter((each) => !permissions.includes(each));
  const extra = permissions.filter((each) => !(CI_PERMISSIONS as readonly string[]).includes(each));
  const way = "Run remove, then init.";
  if (lacks.length > 0) return { about, is: "bad", says: `it lacks ${lacks.join(", ")}. ${way}` };
  if (extra.length > 0) return { about, is: "bad", says: `it may do more than it should: ${extra.join(", ")}. ${way}` };
  return { about, is: "good", says: `it is there (${id}), with the rights that it needs and no more.` };
}

async function checkKey({ secrets, variable }: Context, key: string | undefined): Promise<Finding> {
  const about = "The key for CI";
  if (key === undefined) return { about, is: "unknown", says: "its secret is in GitHub alone; the first run tells." };
  await using service = new Service({ url: serviceUrl(variable("RENTAL_API_URL")), key, secrets });
  try {
    const count = await service.countInstances();
    const rights = rightsFinding(about, { id: 0, permissions: (await service.account()).permissions });
    return rights.is === "bad"
      ? rights
      : { about, is: "good", says: `it lists ${count} instances, and can't reach billing.` };
  } catch (fault) {
    if (!isForeseen(fault)) throw fault;
    return { about, is: "bad", says: `${wordsOf(fault)} ${hintOf(fault) ?? ""}`.trim() };
  }
}

function checkMachines({ gpu, maxPrice }: Settings, kinds: readonly GpuKind[]): Finding {
  const names = gpu.split(",").map((name) => name.trim());
  const count = machinesBelow(kinds, names, maxPrice);
  const says = `${count} of ${gpu} below ${maxPrice} USD an hour now.`;
  const about = "Machines";
  if (count === 0) return { about, is: "bad", says: `${says} Raise --max-price, or take another GPU.` };
  return { about, is: count < ENOUGH_MACHINES ? "doubtful" : "good", says };
}

const BOOT_MINUTES = 15;
/** A machine that has less is money for nothing. */
const LEAST_MINUTES = 10;

function checkMoney(settings: Settings): Finding {
  const { jobMinutes, maxCost, maxPrice } = settings;
  return moneyFinding({ maxCost, maxPrice, minutes: jobLimit(settings), leastMinutes: jobMinutes });
}

/** Whether max-cost pays a machine for as long as its job may take, and for its boot. */
export function moneyFinding(is: {
  maxCost: number | "none";
  maxPrice: number;
  /** The job's limit. */
  minutes: number;
  /** How long it usually takes. */
  leastMinutes?: number | undefined;
}): Finding {
  const { leastMinutes = 0, maxCost, maxPrice, minutes } = is;
  if (maxCost === "none")
    return { about: "Money", is: "doubtful", says: "a run may spend any amount (max-cost: none). Set max-cost." };
  const paid = Math.floor((maxCost / maxPrice) * 60);
  const pays = `max-cost pays one machine for ${paid} minutes at max-price (${maxCost} USD a run, ${maxPrice} USD an hour)`;
  if (paid < Math.max(LEAST_MINUTES, leastMinutes))
    return { about: "Money", is: "bad", says: `${pays}, too little for a job. Raise max-cost.` };
  if (paid < minutes + BOOT_MINUTES)
    return {
      about: "Money",
      is: "doubtful",
      says: `${pays}. A job may take ${minutes} minutes and its boot ${BOOT_MINUTES}: raise max-cost.`,
    };
  return { about: "Money", is: "good", says: `${pays}.` };
}

/** Whether max-lifetime leaves a machine as long as its job may take, in minutes. */
export function timeFinding({ lifetime, minutes }: { lifetime: number; minutes: number }): Finding {
  const leaves = `max-lifetime leaves a machine ${lifetime} minutes`;
  if (lifetime < LEAST_MINUTES)
    return { about: "Time", is: "bad", says: `${leaves}, too little for a job. Raise max-lifetime.` };
  if (lifetime < minutes)
    return { about: "Time", is: "doubtful", says: `${leaves}, and its job may take ${minutes}. Raise max-lifetime.` };
  return {
    about: "Time",
    is: "good",
    says: `a machine may live for ${lifetime} minutes, and its job may take ${minutes}.`,
  };
}

async function checkImage({ image }: Settings): Promise<Finding> {
  const { answer, why } = await lookUpImage(image);
  if (answer.kind === "missing")
    return {
      about: "The image",
      is: "bad",
      says: `its registry has no ${image}${answer.word.startsWith("only") ? ` for linux/amd64, ${answer.word}` : ""}. Give --image.`,
    };
  if (answer.kind !== "found")
    return { about: "The image", is: "unknown", says: `${image} could not be looked up. ${why}`.trim() };
  return { about: "The image", is: "good", says: `${image}, ${(answer.bytes / 1e9).toFixed(1)} GB.` };
}
