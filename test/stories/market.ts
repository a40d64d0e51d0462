import { makeLabel } from "../../src/machine/label.ts";
import { NoAnswerError } from "../../src/marketplace/errors.ts";
import type { Outgoing } from "../../src/marketplace/vast/connection.ts";
import type { RawAnswer } from "../../src/marketplace/vast/refusals.ts";
import { aRow } from "../unit/support/an-offer.ts";
import { isEmpty, PAGE, refused, type Said, type Scene, SERVICE_SAYS, shownOf } from "./answers.ts";
import type { Fault, Where } from "./fault.ts";
import { PREFIX, RUNS } from "./outside.ts";
import { awayOf, type Box, type Other, type Rented } from "./things.ts";

const PLACES: Readonly<Record<string, Where>> = {
  "list instances": "list",
  "get one instance": "get",
  "create instance": "create",
  "destroy an instance": "destroy",
  "search offers": "search",
};

/** A client waits so long for an answer. */
const HANGS_MS = 30_000;
const DAY_MS = 86_400_000;

const says = (json: unknown): Said => ({ status: 200, json });
const DONE = says({ success: true });

/** In the account before: look-alikes whose labels differ by a hair, and one real leftover. */
function othersIn(startMs: number): Other[] {
  const past = (prefix: string) => makeLabel(prefix, 1, startMs - DAY_MS);
  const future = (run: number) => makeLabel(`ghr1.1.${run}-1.abcdef`, 1, startMs + 30 * DAY_MS);
  const labels: [label: string | null, isLeft?: boolean][] = [
    [null],
    ["someone's own machine"],
    [past(`${PREFIX}g`)],
    [past(`ghr1.1.${RUNS.ours}-1.zzzzzz`), true],
    [past("ghr1.abcd1.2-1.abcdef")],
    [past("ghr1.19.2-1.abcdef")],
    [future(RUNS.open)],
    [future(RUNS.done), true],
  ];
  return labels.map(([label, isLeft = false], index) => ({ id: index + 1, label, isLeft }));
}

/** The rental service, as it answers requests. */
export class MarketInWorld {
  readonly #scene: Scene;
  #others: readonly Other[];

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#others = othersIn(scene.clock.start);
  }

  /** Carries a request out. Throws as the client does without an answer. */
  async serve(asked: Outgoing): Promise<RawAnswer> {
    const { faults, world } = this.#scene;
    const { operation } = asked;
    const place = PLACES[operation];
    const fault = place && faults.meet([place, "service"], world.now);
    if (fault !== undefined) world.note(`${operation}: ${fault.what}`);
    if (fault?.what === "lost") throw lost(operation);
    const refusal = place === undefined ? SERVICE_SAYS["404"] : fault && SERVICE_SAYS[fault.what];
    const { json, status } = refusal ?? (await this.#carryOut(place, asked, fault));
    if (fault?.what === "hangs") await this.#scene.clock.sleep(HANGS_MS);
    if (fault?.what === "lost after" || fault?.what === "hangs") throw lost(operation);
    const date = refusal === undefined ? { date: new Date(this.#scene.clock.now()).toUTCString() } : {};
    return { status, json, text: json === undefined ? PAGE : JSON.stringify(json), retryAfter: undefined, ...date };
  }

  async #carryOut(place: Where | undefined, asked: Outgoing, fault: Fault | undefined): Promise<Said> {
    const id = idIn(asked);
    if (place === "search") return this.#search(asked);
    if (place === "create") return await this.#create(id, asked, fault);
    if (place === "destroy") return await this.#destroy(id);
    if (place === "get") return this.#get(id);
    return this.#list(fault);
  }

  /** Asked for those that can be rented or not, it shows all: who offers later is rented to somebody before. */
  #search({ body }: Outgoing): Said {
    const { rentable } = body as { rentable?: { in?: readonly boolean[] } };
    const rows = this.#scene.world.offers(rentable?.in?.includes(false));
    const row = ({ id, price }: (typeof rows)[number]) =>
      aRow({ id, machine_id: id * 100, dph_total: price, min_bid: price / 2 });
    return says({ offers: rows.map(row) });
  }

  async #create(offer: number, { body }: Outgoing, fault: Fault | undefined): Promise<Said> {
    const { hears, world } = this.#scene;
    const { env, label, price } = body as { env: Record<string, string>; label: string; price?: number };
    const n = Number(label.split(".").at(-2));
    const ids = (env.GHR_JIT ?? "").split(" ").map((jit) => Number(jit.slice("jit-".length)));
    const runners = world.runners.filter(({ id }) => ids.includes(id));
    const deadline = Number(env.GHR_DEADLINE) - this.#scene.clock.start;
    const wanted = { n, label, offer, runners, deadline, bid: price };
    hears({ what: "creates", create: wanted });
    try {
      return await this.#make(wanted, fault);
    } finally {
      hears({ what: "created" });
    }
  }

  async #make(wanted: Rented, { detail = 0, what }: Partial<Fault> = {}): Promise<Said> {
    const { world } = this.#scene;
    const { createS } = world.hostOf(wanted.offer);
    if (createS > 0) await this.#scene.clock.sleep(createS * 1000);
    world.advance(this.#scene.clock.elapsed);
    if (!world.offers().some(({ id }) => id === wanted.offer)) return SERVICE_SAYS.taken as Said;
    if (what === "comes late") {
      this.#scene.clock.at(this.#scene.clock.elapsed + (1 + (detail % 35)) * 1000, () => {
        world.advance(this.#scene.clock.elapsed);
        world.make({ ...wanted, isLate: true, listedS: 0 });
      });
      throw lost("create instance");
    }
    const isUncertain = what === "no id" || what === "lost after" || what === "listed late";
    // What nobody knows of is looked for within 40 s.
    const listedS = what === "listed late" ? detail - createS : 5;
    const made = world.make({ ...wanted, isLate: isUncertain, ...(isUncertain && { listedS }) });
    if (what === "listed late") throw lost("create instance");
    if (what === "twin") world.make({ ...wanted, isTwin: true, listedS: detail - 30 });
    if (what === "no id") return DONE;
    const isRefused = what === "refused, and an id";
    const json = { success: !isRefused, new_contract: made.id, ...(isRefused && { msg: "failed" }) };
    return { status: isRefused ? 400 : 200, json };
  }

  async #destroy(id: number): Promise<Said> {
    const { hears, world } = this.#scene;
    const other = this.#others.find((each) => each.id === id);
    if (other !== undefined) {
      hears({ what: "destroys another's", ...other });
      this.#others = this.#others.filter((each) => each !== other);
      return DONE;
    }
    const box = world.boxes.find((each) => each.id === id);
    if (box === undefined || box.goneAt <= world.now) return refused(404, "no_such_instance", "no such instance");
    hears({ what: "destroys", machine: box, by: "us" });
    if (box.host.destroyS > 0) await this.#scene.clock.sleep(box.host.destroyS * 1000);
    world.advance(this.#scene.clock.elapsed);
    world.destroy(box);
    return DONE;
  }

  #get(id: number): Said {
    const { boxes, now } = this.#scene.world;
    const box = boxes.find((each) => each.id === id);
    const isShown = box !== undefined && isListed(box, now) && box.goneAt > now;
    return says({ instances: isShown ? this.#rowOf(box, now) : null });
  }

  /** The list as it is, or as it was some time before, and whether it is whole. */
  #list(fault: Fault | undefined): Said {
    const { world } = this.#scene;
    const { now, story } = world;
    const at = now - (fault?.what === "old" ? fault.detail : story.instancesLagS) * 1000;
    const all = world.boxes.filter((box) => isListed(box, at) && at < box.goneAt + box.host.ghostS * 1000);
    const { shown, told } = shownOf(all, fault);
    if (fault === undefined) for (const box of shown) box.shownAt = Math.min(box.shownAt, now);
    const others = this.#others.map(({ id, label }) => ({ id, label, actual_status: "running" }));
    const rows = [...(isEmpty(fault) ? [] : others), ...shown.map((box) => this.#rowOf(box, at))];
    const hidden = isEmpty(fault) && told > 0 ? others.length : 0;
    return says({ success: true, instances: rows, total_instances: rows.length + told + hidden, next_token: null });
  }

  /** The service's row for a machine, as it was then. */
  #rowOf(box: Box, at: number): object {
    const { bid, createdAt, id, label, offer, price } = box;
    return {
      ...{ id, label, machine_id: offer * 100, dph_total: price, is_bid: bid !== undefined },
      ...{ ssh_host: "ssh1.example", ssh_port: 12_345 },
      start_date: Math.floor((this.#scene.clock.start + createdAt) / 1000),
      ...statusOf(box, at),
    };
  }
}

function lost(operation: string): NoAnswerError {
  return new NoAnswerError(operation, new Error("socket hang up"));
}

function isListed({ createdAt, host }: Box, at: number): boolean {
  return createdAt + host.listedS * 1000 <= at;
}

/** Of an instance or an offer. */
function idIn({ path }: Outgoing): number {
  return Number(/\/(\d+)\/$/.exec(path)?.[1]);
}

function statusOf(box: Box, at: number): object {
  const { createdAt, deadAt, goneAt, host, runningAt } = box;
  const { bootS, fate, fateS, ghostAs, lastsS } = host;
  const is = (actual_status: string, more = {}) => ({
    ...{ intended_status: "running", cur_state: "running", actual_status },
    ...more,
  });
  if (at >= goneAt) return is(ghostAs === "exited" ? "exited" : "running");
  const isStopped = fate === "outbid" || fate === "stopped";
  if (at >= deadAt) return is("exited", isStopped ? { intended_status: "stopped", cur_state: "stopped" } : {});
  const isBooted = at >= createdAt + bootS * 1000;
  if (fate === "bad image" && isBooted) return is("loading", { status_msg: "manifest unknown: manifest unknown" });
  if (fate === "broken" && isBooted) return is("loading", { status_msg: "OCI runtime create failed" });
  const since = (at - createdAt) / 1000;
  if (fate === "silent" && since >= fateS) return is(since < fateS + lastsS ? "offline" : "running");
  const [from, to] = awayOf(box);
  if (fate === "cut off" && at >= from && at < to) return is("offline");
  return is(at >= runningAt ? "running" : "loading");
}
