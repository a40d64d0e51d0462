import type { SessionDestroyed } from "../../src/teardown/destroy-session.ts";
import { type Instance, LATE_CREATE_S, numberIn, type Swept, type World } from "./world.ts";

/** Rules for every reachable state. */
export type Invariant =
  | "nothing bills after post, or post names it"
  | "post waits for a create that may still come true"
  | "without a fault post leaves nothing to name"
  | "nothing bills after the sweep"
  | "nothing bills for ever"
  | "what is not ours is not destroyed"
  | "a machine with a running job is not destroyed"
  | "a create is written down before it leaves"
  | "no more machines are alive than asked for"
  | "no other create leaves while one is uncertain";

/** Told of what must not be. */
export type Watch = (broken: Invariant) => void;

/** Ends that entitle post to take a machine from a running job. */
const MAIN_IS_OUT = new Set<World["mainEnd"]>(["killed", "cancelled", "runner-gone"]);

/** Post destroys nobody else's instance, and before main rents only other runs' leftovers go. */
const MAY_BE_SWEPT: Record<Swept, (world: World) => boolean> = {
  never: () => false,
  "by all": ({ actor }) => actor !== "post",
  "by others": ({ actor }) => actor === "sweep",
  "by others, once the run is over": ({ actor, runOverAt }) => actor === "sweep" && runOverAt !== undefined,
};

/** A destruction is about to take effect. */
export function destroysOf(
  world: World,
  instance: Instance | undefined,
  other: World["others"][number] | undefined,
  watch: Watch,
): void {
  if (other !== undefined && !MAY_BE_SWEPT[other.swept](world)) watch("what is not ours is not destroyed");
  if (instance?.stage !== "job" || world.now >= instance.deadline) return;
  if (world.actor === "post" && MAIN_IS_OUT.has(world.mainEnd)) return;
  watch("a machine with a running job is not destroyed");
}

/** A create is about to leave. */
export function createLeaves(world: World, label: string | undefined, watch: Watch): void {
  const { created, pending } = world.written;
  const n = numberIn(label) || world.asked.length + 1;
  if (!pending.some(([written]) => written === n)) watch("a create is written down before it leaves");
  const ids = new Set(created.map(([, id]) => id));
  // One whose work is over gives itself back, and takes nobody's place.
  const alive = world.instances.filter(({ id, stage }) => ids.has(id) && stage !== "done");
  if (alive.length >= world.machines) watch("no more machines are alive than asked for");
  const known = new Set(created.map(([written]) => written));
  const unsettled = world.asked.filter((asked) => !known.has(asked.n));
  // Looked for until no create was ever seen to come true.
  if (unsettled.some(({ at, lookedAt }) => lookedAt < at + LATE_CREATE_S))
    watch("no other create leaves while one is uncertain");
}

/** Post has ended by itself. */
export function postEnded(world: World, { undestroyed }: SessionDestroyed, watch: Watch): void {
  const left = world.instances.filter(({ isVeryLate }) => !isVeryLate);
  if (left.length > 0 && undestroyed.length === 0) watch("nothing bills after post, or post names it");
  if (world.late.some(({ askedAt }) => world.now < askedAt + LATE_CREATE_S) && undestroyed.length === 0)
    watch("post waits for a create that may still come true");
  if (world.faults > 0 && undestroyed.length > 0) watch("without a fault post leaves nothing to name");
}

/** Nobody comes any more. */
export function leftAtTheEnd(world: World, watch: Watch, broken: Invariant): void {
  if (world.instances.length > 0) watch(broken);
}
