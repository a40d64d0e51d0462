import { NoAnswerError } from "../../src/marketplace/errors.ts";
import type { Connection, Outgoing } from "../../src/vast/connection.ts";
import type { RawAnswer } from "../../src/vast/refusals.ts";
import { aRow } from "../unit/support/an-offer.ts";
import { destroysOf, type Watch } from "./invariants.ts";
import { deadlineOf, type Instance, numberIn, type World } from "./world.ts";

/** How one request can go wrong. Each operation has its own (`FAULTS`). */
export type ServiceFault =
  | "lost before"
  | "lost after"
  | "comes true late"
  | "5xx after"
  | "refused, and an id"
  | "taken"
  | "refused"
  | "429"
  | "no id"
  | "hidden at first"
  | "success: false"
  | "said, not done"
  | "403"
  | "shows nothing"
  | "404"
  | "down for a minute"
  | "down for five minutes";

/** Faults of each operation. */
export const FAULTS: Readonly<Record<string, readonly ServiceFault[]>> = {
  "create instance": [
    "lost before",
    "lost after",
    "comes true late",
    "5xx after",
    "refused, and an id",
    "taken",
    "refused",
    "429",
    "no id",
    "hidden at first",
    "down for a minute",
  ],
  "destroy an instance": [
    "lost before",
    "lost after",
    "5xx after",
    "success: false",
    "said, not done",
    "403",
    "429",
    "404",
    "down for a minute",
    "down for five minutes",
  ],
  "list instances": ["shows nothing", "404", "down for a minute", "down for five minutes"],
  "get one instance": ["shows nothing", "down for a minute"],
};

/** Seconds for which a fresh instance is in no answer. */
const HIDDEN_S = 30;

export function serviceAnswer(status: number, json: unknown): RawAnswer {
  return { status, text: JSON.stringify(json), json, retryAfter: undefined };
}

const OK = serviceAnswer(200, { success: true });
const TOO_FAST = serviceAnswer(429, { success: false, msg: "API requests too frequent" });
const NOT_FOUND = serviceAnswer(404, { success: false, error: "no_such_instance", msg: "no such instance" });
const BROKEN: RawAnswer = { status: 502, text: "Bad Gateway", json: undefined, retryAfter: undefined };

/** Carries a request out as the service does. Throws as the client does without an answer. */
export function serve(world: World, asked: Outgoing, fault: ServiceFault | undefined, watch: Watch): RawAnswer {
  if (fault === "down for a minute") world.downUntil = world.now + 60;
  if (fault === "down for five minutes") world.downUntil = world.now + 300;
  if (world.now < world.downUntil || fault === "lost before") throw lost(asked);
  const answer = carryOut(world, asked, fault, watch);
  if (fault === "lost after") throw lost(asked);
  return fault === "5xx after" ? BROKEN : answer;
}

function lost({ operation }: Outgoing): NoAnswerError {
  return new NoAnswerError(operation, new Error("socket hang up"));
}

function carryOut(world: World, asked: Outgoing, fault: ServiceFault | undefined, watch: Watch): RawAnswer {
  const id = Number(/instances\/(\d+)\/$/.exec(asked.path)?.[1]);
  switch (asked.operation) {
    case "search offers":
      return serviceAnswer(200, { offers: market(world) });
    case "create instance":
      return create(world, asked, fault);
    case "list instances":
      return list(world, asked, fault);
    case "get one instance":
      return get(world, id, fault);
    case "destroy an instance":
      return destroy(world, id, fault, watch);
    case "change instance":
      return relabel(world, id, asked.body as { label: string });
    default:
      return NOT_FOUND;
  }
}

function market({ offers }: World): object[] {
  return Array.from({ length: offers }, (_, index) =>
    aRow({ id: index + 1, machine_id: index + 1, dph_total: (index + 1) / 10 }),
  );
}

const REFUSALS: Partial<Record<ServiceFault, RawAnswer>> = {
  taken: serviceAnswer(404, { success: false, error: "no_such_ask", msg: "no such ask" }),
  refused: serviceAnswer(400, { success: false, msg: "disk is too small" }),
  "429": TOO_FAST,
};

function create(world: World, { body, path }: Outgoing, fault: ServiceFault | undefined): RawAnswer {
  const refusal = fault && REFUSALS[fault];
  const { label } = body as { label: string | undefined };
  const n = numberIn(label) || world.asked.length;
  const deadline = deadlineOf(world, label);
  if (refusal) return refusal;
  if (fault === "comes true late") {
    world.late.push({ n, label, deadline, askedAt: world.now });
    throw new NoAnswerError(path, new Error("socket hang up"));
  }
  const id = begin(world, { n, label, deadline }, fault === "hidden at first" ? HIDDEN_S : 0);
  if (fault === "no id") return OK;
  if (fault === "refused, and an id") return serviceAnswer(400, { success: false, msg: "failed", new_contract: id });
  return serviceAnswer(200, { success: true, new_contract: id });
}

/** From now on it bills. */
export function begin(
  world: World,
  { n, label, deadline }: Pick<Instance, "n" | "label" | "deadline">,
  hidden = 0,
  isVeryLate = false,
): number {
  world.lastId += 1;
  const hiddenUntil = world.now + hidden;
  const instance = { id: world.lastId, label, n, createdAt: world.now, hiddenUntil, deadline, isVeryLate };
  world.instances.push({ ...instance, stage: "booting" });
  return world.lastId;
}

function shown(world: World): Instance[] {
  return world.instances.filter(({ hiddenUntil }) => hiddenUntil <= world.now);
}

function rowOf({ id, label, stage }: Instance): object {
  return { id, label, actual_status: stage === "booting" ? "loading" : "running" };
}

function list(world: World, { path }: Outgoing, fault: ServiceFault | undefined): RawAnswer {
  if (fault === "404") return serviceAnswer(404, { detail: path });
  const ours = fault === "shows nothing" ? [] : shown(world).map(rowOf);
  if (fault !== "shows nothing") for (const asked of world.asked) asked.lookedAt = world.now;
  const others = world.others.map(({ id, label }) => ({ id, label, actual_status: "running" }));
  return serviceAnswer(200, { instances: [...others, ...ours] });
}

function get(world: World, id: number, fault: ServiceFault | undefined): RawAnswer {
  if (fault === "403") return serviceAnswer(403, { success: false, msg: "no" });
  const instance = fault === "shows nothing" ? undefined : shown(world).find((each) => each.id === id);
  const other = world.others.find((each) => each.id === id);
  return serviceAnswer(200, { instances: instance ? rowOf(instance) : (other ?? null) });
}

const NOT_DESTROYED: Partial<Record<ServiceFault, RawAnswer>> = {
  "success: false": serviceAnswer(200, { success: false, msg: "The machine did not answer." }),
  "said, not done": OK,
  "403": serviceAnswer(403, { success: false, msg: "no" }),
  "429": TOO_FAST,
  "404": NOT_FOUND,
};

function destroy(world: World, id: number, fault: ServiceFault | undefined, watch: Watch): RawAnswer {
  const answer = fault && NOT_DESTROYED[fault];
  if (answer) return answer;
  const other = world.others.find((each) => each.id === id);
  const instance = shown(world).find((each) => each.id === id);
  if (other === undefined && instance === undefined) return NOT_FOUND;
  destroysOf(world, instance, other, watch);
  end(world, id);
  return OK;
}

/** It does not bill any more. */
export function end(world: World, id: number): void {
  const gone = world.instances.find((each) => each.id === id);
  world.instances = world.instances.filter((each) => each !== gone);
  world.others = world.others.filter((each) => each.id !== id);
  if (gone === undefined) return;
  const runner = world.runners.find(({ n }) => n === gone.n);
  if (runner?.state === "online") runner.state = "offline";
  if (runner?.state === "busy") loseJob(world, runner.id);
}

/** GitHub misses the runner of a job: the job has failed. */
export function loseJob(world: World, runnerId: number): void {
  world.runners = world.runners.filter(({ id }) => id !== runnerId);
  for (const job of world.jobs) if (job.state === "running" && job.runner === runnerId) job.state = "done";
}

/** Only a mutant labels afterwards. */
function relabel(world: World, id: number, { label }: { label: string }): RawAnswer {
  const instance = world.instances.find((each) => each.id === id);
  if (instance) instance.label = label;
  return OK;
}

/** The connection of a real client, whose requests become turns of the model. */
export function connectionTo(
  ask: (outgoing: Outgoing, signal: AbortSignal | undefined) => Promise<RawAnswer>,
  timeLeftMs: () => number,
): Connection {
  const connection: Pick<Connection, "exchange" | "timeLeftMs" | "isLocal" | "close"> = {
    isLocal: true,
    timeLeftMs,
    exchange: async (outgoing, signals = {}) => {
      signals.before?.throwIfAborted();
      signals.onSend?.();
      return await ask(outgoing, signals.way);
    },
    close: async () => {},
  };
  // The class has private fields, so no other object has its type.
  return connection as Connection;
}
