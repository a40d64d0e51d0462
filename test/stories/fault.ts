/** Where something goes wrong. */
export type Where =
  | "list"
  | "get"
  | "create"
  | "destroy"
  | "search"
  | "register"
  | "runners"
  | "remove"
  | "jobs"
  | "cancel"
  /** All requests of one of the two tokens, or of the service. */
  | "github-token"
  | "job-token"
  | "service";

/** A thing that goes wrong, `times` times at most, within a time of the story. */
export interface Fault {
  where: Where;
  what: What;
  fromS: number;
  lastsS: number;
  times: number;
  /** Of a list: how old it is, in seconds; of a partial one: which rows it lacks (a bit each). */
  detail: number;
}

/** What goes wrong: each place knows some of them, and takes the others for no answer. */
export type What =
  /** No answer; the request was not carried out, or it was. */
  | "lost"
  | "lost after"
  | "502"
  | "429"
  | "page 200"
  | "page 403"
  | "page 404"
  | "401"
  | "403"
  | "404"
  /** Of a registration. */
  | "409"
  /** Of a search: there is no offer, for whoever asks for whatever. */
  | "no offers"
  /** Of lists. `honest`: the page tells how many there are. */
  | "empty"
  | "empty, honest"
  | "partial"
  | "partial, honest"
  | "old"
  /** Of a create. */
  | "400 host"
  | "400 request"
  | "taken"
  | "no credit"
  | "twin"
  | "comes late"
  /** It gets no answer, and is listed so many seconds after it was sent. Only fixed stories have that. */
  | "listed late"
  | "no id"
  | "refused, and an id"
  /** Of a destruction. */
  | "said, not done"
  /** It is carried out, and no answer comes for as long as anybody waits. */
  | "hangs"
  | "success: false";

/** What renting needs. */
export const RENTING: readonly Where[] = [
  ...(["service", "list", "get", "create", "search"] as const),
  ...(["register", "github-token", "job-token", "jobs", "runners"] as const),
];

/** What refuses a request for a reason of its own. */
const REFUSING: readonly What[] = ["401", "403", "404", "409", "400 host", "400 request", "no credit"];

/** Lists that are false, and nothing in them says so. */
export const FALSE: readonly What[] = ["empty", "partial", "old"];
const OF_LISTS: readonly What[] = [...FALSE, "empty, honest", "partial, honest"];

/** A fault that was met, and when, in milliseconds. */
interface Met {
  fault: Fault;
  at: number;
}

/** The faults of a story, and which of them were met. */
export class Faults {
  readonly #left: { fault: Fault; times: number }[];
  readonly met: Met[] = [];

  constructor(faults: readonly Fault[]) {
    this.#left = faults.map((fault) => ({ fault, times: fault.times }));
  }

  /** What goes wrong with a request now, if anything; it is used up by that. What is so of lists hits nothing else. */
  meet(places: readonly Where[], now: number, isList = true): Fault | undefined {
    const canHit = ({ what, where }: Fault) => places.includes(where) && (isList || !OF_LISTS.includes(what));
    const found = this.#left.find(({ fault, times }) => times > 0 && canHit(fault) && isIn(fault, now));
    if (found === undefined) return undefined;
    found.times -= 1;
    this.met.push({ fault: found.fault, at: now });
    return found.fault;
  }

  /** True while this goes wrong with whoever asks. */
  isNow(what: What, now: number): boolean {
    return this.#left.some(({ fault, times }) => fault.what === what && times > 0 && isIn(fault, now));
  }

  /** True when creates were refused twice, or registrations, the last time since then. */
  wasRefusedTwice(since: number): boolean {
    const said = this.met.filter(({ fault }) => REFUSING.includes(fault.what));
    return [
      ["create", "service"],
      ["register", "remove", "runners", "github-token"],
    ].some((places) => {
      const ofOne = said.filter(({ fault }) => places.includes(fault.where));
      return ofOne.length > 1 && ofOne.some(({ at }) => at >= since);
    });
  }

  /** True when one of these was met since then, or one of them that went wrong in one of these ways. */
  wasMetSince(places: readonly Where[], since: number, ways?: readonly What[]): boolean {
    const isMeant = ({ what, where }: Fault) => places.includes(where) && (ways?.includes(what) ?? true);
    return this.met.some(({ fault, at }) => at >= since && isMeant(fault));
  }
}

function isIn({ fromS, lastsS }: Fault, now: number): boolean {
  return now >= fromS * 1000 && now < (fromS + lastsS) * 1000;
}
