import type { Context } from "./context.ts";
import { bad, doubtful, type Finding, good, unasked } from "./finding.ts";
import { ENOUGH_MACHINES, type GpuKind, machinesBelow, namesIn } from "./market.ts";
import { CI_PERMISSIONS, hintOf, isForeseen, type KeyRow, lookUpImage, Service } from "./service.ts";
import { wordsOf } from "./setup-error.ts";
import { jobLimit, type Settings } from "./workflows.ts";

/** Asks all that can be asked before the first run, with the keys at hand. `ciKey` undefined: it is in the secret alone. */
export async function checkAll(
  context: Context,
  { settings, kinds, ciKey }: { settings: Settings; kinds: readonly GpuKind[]; ciKey: string | undefined },
): Promise<Finding[]> {
  return [
    await checkKey(context, ciKey),
    checkMachines(settings, kinds),
    moneyFinding(settings, jobLimit(settings), settings.jobMinutes),
    await checkImage(settings),
  ];
}

/** Whether a key may do what CI needs, and no more. */
export function rightsFinding(about: string, { id, permissions }: Pick<KeyRow, "id" | "permissions">): Finding {
  if (permissions === undefined) return good(about, `it is there (${id}).`);
  const lacks = CI_PERMISSIONS.filter((each) => !permissions.includes(each));
  const extra = permissions.filter((each) => !(CI_PERMISSIONS as readonly string[]).includes(each));
  const way = "Run remove, then init.";
  if (lacks.length > 0) return bad(about, `it lacks ${lacks.join(", ")}. ${way}`);
  if (extra.length > 0) return bad(about, `it may do more than it should: ${extra.join(", ")}. ${way}`);
  return good(about, `it is there (${id}), with the rights that it needs and no more.`);
}

async function checkKey(context: Context, key: string | undefined): Promise<Finding> {
  const about = "The key for CI";
  if (key === undefined) return unasked(about, "its secret is in GitHub alone; the first run tells.");
  await using service = new Service(context, key);
  try {
    const count = await service.countInstances();
    const rights = rightsFinding(about, { id: 0, permissions: (await service.account()).permissions });
    return rights.is === "bad" ? rights : good(about, `it lists ${count} instances, and can't reach billing.`);
  } catch (fault) {
    if (!isForeseen(fault)) throw fault;
    return bad(about, `${wordsOf(fault)} ${hintOf(fault) ?? ""}`.trim());
  }
}

function checkMachines({ gpu, maxPrice }: Settings, kinds: readonly GpuKind[]): Finding {
  const count = machinesBelow(kinds, namesIn(gpu), maxPrice);
  const says = `${count} of ${gpu} below ${maxPrice} USD an hour now.`;
  if (count === 0) return bad("Machines", `${says} Raise --max-price, or take another GPU.`);
  return (count < ENOUGH_MACHINES ? doubtful : good)("Machines", says);
}

const BOOT_MINUTES = 15;
/** A machine that has less is money for nothing. */
const LEAST_MINUTES = 10;

/** Whether max-cost pays a machine for as long as its job may take (`minutes`), and for its boot. */
export function moneyFinding({ maxCost, maxPrice }: Settings, minutes: number, usualMinutes = 0): Finding {
  const about = "Money";
  if (maxCost === "none") return doubtful(about, "a run may spend any amount (max-cost: none). Set max-cost.");
  const paid = Math.floor((maxCost / maxPrice) * 60);
  const pays = `max-cost pays one machine for ${paid} minutes at max-price (${maxCost} USD a run, ${maxPrice} USD an hour)`;
  if (paid < Math.max(LEAST_MINUTES, usualMinutes)) return bad(about, `${pays}, too little for a job. Raise max-cost.`);
  if (paid >= minutes + BOOT_MINUTES) return good(about, `${pays}.`);
  return doubtful(about, `${pays}. A job may take ${minutes} minutes and its boot ${BOOT_MINUTES}: raise max-cost.`);
}

/** Whether max-lifetime leaves a machine as long as its job may take, in minutes. */
export function timeFinding({ lifetime, minutes }: { lifetime: number; minutes: number }): Finding {
  const about = "Time";
  const leaves = `max-lifetime leaves a machine ${lifetime} minutes`;
  if (lifetime < LEAST_MINUTES) return bad(about, `${leaves}, too little for a job. Raise max-lifetime.`);
  if (lifetime < minutes) return doubtful(about, `${leaves}, and its job may take ${minutes}. Raise max-lifetime.`);
  return good(about, `a machine may live for ${lifetime} minutes, and its job may take ${minutes}.`);
}

async function checkImage({ image }: Settings): Promise<Finding> {
  const about = "The image";
  const { answer, why } = await lookUpImage(image);
  if (answer.kind === "found") return good(about, `${image}, ${(answer.bytes / 1e9).toFixed(1)} GB.`);
  if (answer.kind !== "missing") return unasked(about, `${image} could not be looked up. ${why}`.trim());
  const only = answer.word.startsWith("only") ? ` for linux/amd64, ${answer.word}` : "";
  return bad(about, `its registry has no ${image}${only}. Give --image.`);
}
