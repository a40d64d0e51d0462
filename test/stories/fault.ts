import fc from "fast-check";
import { anyOf, drawn, plainOf, type Values, whole } from "./plan.ts";

/** No answer, or one that is not the place's own. */
const PASSING = ["lost", "502", "429", "page 200", "page 403", "page 404"] as const;
const DENIED = ["401", "403"] as const;
/** Lists that are false, and nothing in them says so. */
export const FALSE = ["empty", "partial", "old"] as const;
/** Here the page tells how many there are. */
const HONEST = ["empty, honest", "partial, honest"] as const;
const OF_LISTS = [...FALSE, ...HONEST, ...FALSE, ...HONEST] as const;
const OF_CREATES = ["taken", "no credit", "comes late", "no id", "refused, and an id", "400 host"] as const;

/** What can go wrong where; what is told more than once is more likely. "Lost after": it was carried out. */
const WHATS = {
  list: [...PASSING, "401", "404", ...OF_LISTS],
  get: [...PASSING, "401"],
  create: [...PASSING, "lost after", ...DENIED, "404", "400 request", ...OF_CREATES, "twin", "twin", "twin", "twin"],
  destroy: [...PASSING, "lost after", ...DENIED, "said, not done", "success: false"],
  search: [...PASSING, ...DENIED, "400 request"],
  register: [...PASSING, "lost after", ...DENIED, "404"],
  runners: [...PASSING, ...DENIED, ...OF_LISTS],
  remove: [...PASSING, "lost after", ...DENIED],
  jobs: [...PASSING, ...DENIED, ...OF_LISTS],
  // All requests of one of the two tokens, or of the service.
  "github-token": ["lost", "401", "404", "429"],
  "job-token": ["lost", "401", "404", "429"],
  service: ["lost", "502", "429", "page 403"],
  cancel: [...PASSING, ...DENIED],
} as const;

/** Where something goes wrong. */
export type Where = keyof typeof WHATS;

/** What goes wrong: each place knows some of them, and takes the others for no answer. */
export type What =
  | (typeof WHATS)[Where][number]
  /** Of troubles: of a registration, and of a search, which shows no offer to whoever asks for whatever. */
  | "409"
  | "no offers"
  /** Of troubles: a destruction is carried out, and no answer comes for as long as anybody waits. */
  | "hangs"
  /** Of fixed stories: a create gets no answer, and is listed so many seconds after it was sent. */
  | "listed late";

const FAULT = {
  where: drawn<Where>("list", fc.constantFrom(...(Object.keys(WHATS) as Where[]), "list" as const, "create" as const)),
  what: drawn<What>("lost", fc.constant("lost")),
  fromS: drawn(0, fc.oneof(fc.constant(0), whole(0, 900))),
  lastsS: drawn(3600, fc.oneof(fc.constantFrom(15, 30), whole(1, 400))),
  times: drawn<number>(1, fc.constantFrom(1, 2, 1000)),
  /** Of a list: how old it is, in seconds; of a partial one: which rows it lacks (a bit each). */
  detail: drawn(30, whole(30, 90)),
};

/** A thing that goes wrong, `times` times at most, within a time of the story. */
export type Fault = Values<typeof FAULT>;

/** Any of those that are drawn. */
export const ANY_FAULT: fc.Arbitrary<Fault> = anyOf(FAULT).chain((fault) =>
  fc.constantFrom<What[]>(...WHATS[fault.where]).map((what) => ({ ...fault, what })),
);

/** Something that goes wrong once, at the first request, but for what is said. */
export const aFault = (given: Partial<Fault>): Fault => ({ ...plainOf(FAULT), ...given });

/** What renting needs. */
export const RENTING: readonly Where[] = [
  ...(["service", "list", "get", "create", "search"] as const),
  ...(["register", "github-token", "job-token", "jobs", "runners"] as const),
];

/** The faults of a story, and which of them were met, and when, in milliseconds. */
export class Faults {
  readonly #left: { fault: Fault; times: number }[];
  readonly met: { fault: Fault; at: number }[] = [];

  constructor(faults: readonly Fault[] = []) {
    this.#left = faults.map((fault) => ({ fault, times: fault.times }));
  }

  /** What goes wrong with a request now, if anything; it is used up by that. What is so of lists hits nothing else. */
  meet(places: readonly Where[], now: number, isList = true): Fault | undefined {
    const canHit = ({ what, where }: Fault) => places.includes(where) && (isList || !isOfLists(what));
    const found = this.#left.find(({ fault, times }) => times > 0 && canHit(fault) && isIn(fault, now));
    if (found === undefined) return undefined;
    found.times -= 1;
    this.met.push({ fault: found.fault, at: now });
    return found.fault;
  }

  /** True when one of these was met since then, or one of them that went wrong in one of these ways. */
  wasMetSince(places: readonly Where[], since: number, ways?: readonly What[]): boolean {
    const isMeant = ({ what, where }: Fault) => places.includes(where) && (ways?.includes(what) ?? true);
    return this.met.some(({ fault, at }) => at >= since && isMeant(fault));
  }
}

/** True for what only a list can say. */
export function isOfLists(what: What): boolean {
  return (OF_LISTS as readonly What[]).includes(what);
}

/** True at a moment within that time, in milliseconds. */
export function isIn({ fromS, lastsS }: { fromS: number; lastsS: number }, now: number): boolean {
  return now >= fromS * 1000 && now < (fromS + lastsS) * 1000;
}
