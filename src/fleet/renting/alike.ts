import { namedCuda } from "../../machine/said.ts";
import { CAUSES } from "../lifecycle/causes.ts";
import { type Machine, machineFacts } from "../stage.ts";
import type { Fleet } from "../state.ts";
import { ENOUGH_HOSTS, endCause, failuresOf, hostsOf, unnamedWords } from "./failures.ts";
import { hostKey } from "./standing.ts";

/** Returns the CUDA version that two hosts said the image needs, if an offer of the last search has it. */
export function neededCuda(fleet: Fleet): number | undefined {
  const version = toldCuda(fleet.machines);
  const has = fleet.market?.candidates.some(({ offer }) => (offer.cuda ?? 0) >= (version ?? 0));
  return has === true ? version : undefined;
}

/** Returns the newest CUDA version that two hosts named. */
function toldCuda(machines: readonly Machine[]): number | undefined {
  const old = machines.filter((machine) => endCause(machine) === "driver");
  const byVersion = Map.groupBy(old, ({ ending }) => namedCuda(ending?.why ?? ""));
  const told = [...byVersion].flatMap(([version, same]) => (hostsOf(same) >= ENOUGH_HOSTS ? (version ?? []) : []));
  return told.length === 0 ? undefined : Math.max(...told);
}

/** Returns further advice about the failures, from what several hosts said alike: sentences, or an empty text. */
export function adviceByWords(fleet: Fleet): string {
  const cuda = toldCuda(fleet.machines);
  const ofCuda =
    cuda === undefined ? [] : [`The image needs CUDA ${cuda.toFixed(1)}: set \`min-cuda: ${cuda.toFixed(1)}\`.`];
  return [...ofCuda, ...suspicion(fleet)].map((sentence) => ` ${sentence}`).join("");
}

/** Suspects the image and the inputs where several hosts failed with the same words, and none of them ever served. */
function suspicion(fleet: Fleet): string[] {
  const failures = failuresOf(fleet);
  const served = new Set(fleet.machines.filter((machine) => machineFacts(machine).hadJob).map(hostKey));
  const said = failures.filter((machine) => {
    const { blame } = CAUSES[endCause(machine) ?? "idle"];
    // A job ran on a machine of this host in an earlier run, or now.
    const hasServed = machine.candidate.expected?.standing === "proven" || served.has(hostKey(machine));
    return blame === "host" && !hasServed;
  });
  const groups = [...Map.groupBy(said, wordsOf)].filter(([words]) => words !== undefined);
  const most = Math.max(0, ...groups.map(([, same]) => hostsOf(same)));
  if (most < ENOUGH_HOSTS) return [];
  const all = hostsOf(failures);
  const hosts = most < all ? `${most} of ${all}` : most === 2 ? "Both" : `All ${most}`;
  return [`${hosts} hosts said the same, so look at the image and at env, too.`];
}

/** Returns what a machine or its host said as it failed. One that vanished without words counts as one that said so. */
function wordsOf(machine: Machine): string | undefined {
  const { connectError, ending, instances, words } = machine;
  const verdict = instances[0]?.verdict;
  const seen = verdict?.kind === "pending" ? verdict.says : undefined;
  const isSlow = ending?.cause === "boot" || ending?.cause === "online" || ending?.cause === "price";
  const text = words?.text ?? connectError ?? seen ?? (isSlow ? undefined : ending?.why);
  return text && unnamedWords(machine, text);
}
