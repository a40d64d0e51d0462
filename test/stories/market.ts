import { NoAnswerError } from "../../src/marketplace/errors.ts";
import type { Outgoing } from "../../src/marketplace/vast/connection.ts";
import type { RawAnswer } from "../../src/marketplace/vast/refusals.ts";
import { aRow } from "../unit/support/an-offer.ts";
import type { HandWoundClock } from "../unit/support/hand-wound-clock.ts";
import type { Fault, Faults, What, Where } from "./fault.ts";
import { type Other, othersIn } from "./others.ts";
import type { Happening } from "./referee/record.ts";
import { awayOf, type Box, type Rented } from "./things.ts";
import type { World } from "./world.ts";

const PLACES: Readonly<Record<string, Where>> = {
  "list instances": "list",
  "get one instance": "get",
  "create instance": "create",
  "destroy an instance": "destroy",
  "search offers": "search",
};

/** A client waits so long for an answer. */
const HANGS_MS = 30_000;
const PAGE = "<html><head><title>Just a moment</title></head></html>";
/** An answer as JSON. */
export function answer(status: number, json: unknown): RawAnswer {
  return { status, text: JSON.stringify(json), json, retryAfter: undefined };
}

function page(status: number): RawAnswer {
  return { status, text: PAGE, json: undefined, retryAfter: undefined };
}

const REFUSALS: Partial<Record<What, RawAnswer>> = {
  "502": page(502),
  "429": answer(429, { success: false, msg: "API requests too frequent" }),
  "page 200": page(200),
  "page 403": page(403),
  "page 404": page(404),
  "401": answer(401, { success: false, error: "auth_error", msg: "Invalid user key" }),
  "403": answer(403, { success: false, error: "forbidden", msg: "Your key may not do this" }),
  "404": answer(404, { success: false, error: "not_found", msg: "no such path" }),
  "400 host": answer(400, { success: false, error: "invalid_args", msg: "not enough disk on this machine" }),
  "400 request": answer(400, { success: false, error: "invalid_args", msg: "error 400/3603: invalid value of env" }),
  taken: answer(404, { success: false, error: "no_such_ask", msg: "no such ask" }),
  "no credit": answer(400, { success: false, error: "insufficient_credit", msg: "Your account lacks credit" }),
  "success: false": answer(200, { success: false, msg: "The machine did not answer." }),
};

/** The rental service, as it answers requests. */
export class MarketInWorld {
  readonly #world: World;
  readonly #clock: HandWoundClock;
  readonly #faults: Faults;
  readonly #hears: (happening: Happening) => void;
  #others: readonly Other[];

  constructor(world: World, clock: HandWoundClock, faults: Faults, hears: (happening: Happening) => void) {
    this.#world = world;
    this.#clock = clock;
    this.#faults = faults;
    this.#hears = hears;
    this.#others = othersIn(clock.start);
  }

  /** Carries a request out. Throws as the client does without an answer. */
  async serve(asked: Outgoing): Promise<RawAnswer> {
    const { operation } = asked;
    const place = PLACES[operation];
    if (place === undefined) return answer(404, { success: false, error: "not_found", msg: "no such path" });
    const fault = this.#faults.meet([place, "service"], this.#world.now);
    if (fault !== undefined) this.#world.note(`${operation}: ${fault.what}`);
    // What is not known to be made keeps its host from being asked again, too.
    if (fault !== undefined && fault.what !== "twin" && place === "create")
      this.#hears({ what: "refuses", offer: idIn(asked) });
    if (fault?.what === "lost") throw lost(asked);
    const refusal = fault && REFUSALS[fault.what];
    if (refusal !== undefined) return refusal;
    const told = await this.#carryOut(place, asked, fault);
    if (fault?.what === "hangs") await this.#clock.sleep(HANGS_MS);
    if (fault?.what === "lost after" || fault?.what === "hangs") throw lost(asked);
    return { ...told, date: new Date(this.#clock.now()).toUTCString() };
  }

  /** Of all runs, as they are now. */
  get #allBoxes(): Box[] {
    const { account, now } = this.#world;
    for (const world of account) if (world !== this.#world) world.advance(now);
    return account.flatMap(({ boxes }) => boxes);
  }

  async #carryOut(place: Where, asked: Outgoing, fault: Fault | undefined): Promise<RawAnswer> {
    const id = idIn(asked);
    if (place === "search") return this.#search(asked, fault);
    if (place === "create") return await this.#create(id, asked, fault);
    if (place === "destroy") return await this.#destroy(id, fault);
    if (place === "get") return this.#get(id);
    return this.#list(fault);
  }

  /** Asked for those that can be rented or not, it shows all: who offers later is rented to somebody before. */
  #search({ body }: Outgoing, fault: Fault | undefined): RawAnswer {
    if (fault?.what === "no offers") return answer(200, { offers: [] });
    const { rentable } = body as { rentable?: { in?: readonly boolean[] } };
    const rows = this.#world.offers(rentable?.in?.includes(false));
    const row = ({ id, machine, price }: (typeof rows)[number]) =>
      aRow({ id, machine_id: machine, dph_total: price, min_bid: price / 2 });
    return answer(200, { offers: rows.map(row) });
  }

  async #create(offer: number, { body }: Outgoing, fault: Fault | undefined): Promise<RawAnswer> {
    const { env, label, price } = body as { env: Record<string, string>; label: string; price?: number };
    const n = Number(label.split(".").at(-2));
    const ids = (env.GHR_JIT ?? "").split(" ").map((jit) => Number(jit.slice("jit-".length)));
    const runners = this.#world.runners.filter(({ id }) => ids.includes(id));
    const deadline = Number(env.GHR_DEADLINE) - this.#clock.start;
    const wanted = { n, label, offer, runners, deadline, bid: price };
    this.#hears({ what: "creates", create: wanted });
    try {
      return await this.#make(wanted, fault);
    } finally {
      this.#hears({ what: "created" });
    }
  }

  async #make(wanted: Rented, fault: Fault | undefined): Promise<RawAnswer> {
    const { offer } = wanted;
    const { createS } = this.#world.hostOf(offer);
    if (createS > 0) await this.#clock.sleep(createS * 1000);
    this.#world.advance(this.#clock.elapsed);
    if (!this.#world.offers().some(({ id }) => id === offer)) return REFUSALS.taken as RawAnswer;
    if (fault?.what === "comes late") {
      const later = () => void this.#world.make({ ...wanted, isLate: true, listedS: 0 });
      this.#clock.at(this.#clock.elapsed + (1 + (fault.detail % 35)) * 1000, () => {
        this.#world.advance(this.#clock.elapsed);
        later();
      });
      throw lost({ operation: "create instance" });
    }
    const isListedLate = fault?.what === "listed late";
    const isUncertain = fault?.what === "no id" || fault?.what === "lost after" || isListedLate;
    // What nobody knows of is looked for within 40 s.
    const listedS = isListedLate ? fault.detail - createS : 5;
    const made = this.#world.make({ ...wanted, isLate: isUncertain, ...(isUncertain && { listedS }) });
    if (isListedLate) throw lost({ operation: "create instance" });
    if (fault?.what === "twin") this.#world.make({ ...wanted, isTwin: true, listedS: fault.detail - 30 });
    if (fault?.what === "no id") return answer(200, { success: true });
    made.isRefused = fault?.what === "refused, and an id";
    if (made.isRefused) return answer(400, { success: false, msg: "failed", new_contract: made.id });
    return answer(200, { success: true, new_contract: made.id });
  }

  async #destroy(id: number, fault: Fault | undefined): Promise<RawAnswer> {
    const other = this.#others.find((each) => each.id === id);
    if (other !== undefined) {
      this.#hears({ what: "destroys another's", ...other });
      this.#others = this.#others.filter((each) => each !== other);
      return answer(200, { success: true });
    }
    const box = this.#world.boxes.find((each) => each.id === id);
    if (box === undefined || box.goneAt <= this.#world.now)
      return answer(404, { success: false, error: "no_such_instance", msg: "no such instance" });
    if (fault?.what === "said, not done") return answer(200, { success: true });
    this.#hears({ what: "destroys", machine: box, by: "us" });
    if (box.host.destroyS > 0) await this.#clock.sleep(box.host.destroyS * 1000);
    this.#world.advance(this.#clock.elapsed);
    this.#world.destroy(box);
    return answer(200, { success: true });
  }

  #get(id: number): RawAnswer {
    const { now } = this.#world;
    const box = this.#world.boxes.find((each) => each.id === id);
    const isShown = box !== undefined && isListed(box, now) && box.goneAt > now;
    return answer(200, { instances: isShown ? rowOf(box, now, this.#clock.start) : null });
  }

  /** The list as it is, or as it was some time before, and whether it is whole. */
  #list(fault: Fault | undefined): RawAnswer {
    const { now, story } = this.#world;
    const age = fault?.what === "old" ? fault.detail * 1000 : story.instancesLagS * 1000;
    const at = now - age;
    const all = this.#allBoxes.filter((box) => isListed(box, at) && at < box.goneAt + box.host.ghostS * 1000);
    const shown = all.filter((_, index) => !lacks(fault, index));
    if (fault === undefined) {
      for (const box of shown) box.shownAt = Math.min(box.shownAt, now);
      this.#hears({ what: "lists" });
    }
    const isEmpty = fault?.what === "empty" || fault?.what === "empty, honest";
    const others = isEmpty ? [] : this.#others.map(({ id, label }) => ({ id, label, actual_status: "running" }));
    const rows = [...others, ...shown.map((box) => rowOf(box, at, this.#clock.start))];
    const isHonest = fault?.what === "partial, honest" || fault?.what === "empty, honest";
    return answer(200, {
      success: true,
      instances: rows,
      total_instances: isHonest ? all.length + this.#others.length : rows.length,
      next_token: null,
    });
  }
}

function lost({ operation }: Pick<Outgoing, "operation">): NoAnswerError {
  return new NoAnswerError(operation, new Error("socket hang up"));
}

/** A row that a list lacks: each of an empty one, of a partial one those whose bit is set. */
export function lacks(fault: Fault | undefined, index: number): boolean {
  if (fault?.what === "empty" || fault?.what === "empty, honest") return true;
  const isPartial = fault?.what === "partial" || fault?.what === "partial, honest";
  return isPartial && ((fault.detail >> (index % 7)) & 1) === 1;
}

function isListed({ createdAt, host }: Box, at: number): boolean {
  return createdAt + host.listedS * 1000 <= at;
}

/** Of an instance or an offer. */
function idIn({ path }: Outgoing): number {
  return Number(/\/(\d+)\/$/.exec(path)?.[1]);
}

/** The service's row for a machine, as it was then. */
function rowOf(box: Box, at: number, start: number): object {
  const { createdAt, id, isBid, label, offer, price } = box;
  return {
    id,
    label,
    machine_id: offer * 100,
    start_date: Math.floor((start + createdAt) / 1000),
    dph_total: price,
    is_bid: isBid,
    ssh_host: "ssh1.example",
    ssh_port: 12_345,
    ...statusOf(box, at),
  };
}

function statusOf(box: Box, at: number): object {
  const { createdAt, deadAt, goneAt, host, runningAt } = box;
  const up = { intended_status: "running", cur_state: "running" };
  if (at >= goneAt) return { ...up, actual_status: host.ghostAs === "exited" ? "exited" : "running" };
  if (at >= deadAt && (host.fate === "outbid" || host.fate === "stopped"))
    return { actual_status: "exited", intended_status: "stopped", cur_state: "stopped" };
  if (at >= deadAt) return { ...up, actual_status: "exited" };
  const isBooted = at >= createdAt + host.bootS * 1000;
  if (host.fate === "bad image" && isBooted)
    return { ...up, actual_status: "loading", status_msg: "manifest unknown: manifest unknown" };
  if (host.fate === "broken" && isBooted)
    return { ...up, actual_status: "loading", status_msg: "OCI runtime create failed" };
  if (host.fate === "silent" && at >= createdAt + host.fateS * 1000)
    return { ...up, actual_status: at < createdAt + (host.fateS + host.lastsS) * 1000 ? "offline" : "running" };
  const [from, to] = awayOf(box);
  if (host.fate === "cut off" && at >= from && at < to) return { ...up, actual_status: "offline" };
  return { ...up, actual_status: at >= runningAt ? "running" : "loading" };
}
