import fc from "fast-check";
import type { Fault as GithubFault } from "../../simulator/github/faults.ts";
import { OPERATIONS, type Fault as ServiceFault, type ServiceOperation } from "../../simulator/scenario/fault.ts";
import type { Dialect } from "../../simulator/service/traffic/refusal.ts";
import { anyOf, drawn, mostly, plainOf, still, type Values, whole } from "../stories/plan.ts";
import { ANY_DEATH, aRunJob, aStory, type Story } from "../stories/story.ts";
import { stories, TROUBLES } from "../stories/troubles.ts";

/** Which of the three entries of dist. */
export type Entry = "main" | "post" | "sweep";

/** A fault of either place. */
export type Fault = ServiceFault | GithubFault;

type Operation = Fault["operation"];

/** When a process dies: before or after a request of its own took effect, or by simulated time. */
export type Moment =
  | { at: "request"; operation: Operation; nth: number; side: "before" | "after" }
  /** Since its start, or since the first GPU job began. */
  | { at: "time" | "job"; seconds: number };

/** True for what the service is asked; all else GitHub is. */
export function isOfService<Named extends { operation: string }>(
  named: Named,
): named is Named & { operation: ServiceOperation } {
  return named.operation in OPERATIONS;
}

/** Of an operation those requests that we make, or a machine. */
export function byCaller<Named extends { operation: string }>(named: Named, caller: "account" | "instance") {
  return isOfService(named) ? { ...named, caller } : named;
}

/** The requests of each entry, all with faults; those that matter more stand there more often. */
const CALLS: Record<Entry, readonly Operation[]> = {
  main: [
    ...(["listInstances", "currentUser", "searchOffers", "createInstance", "createInstance"] as const),
    ...(["createInstance", "listInstances", "listInstances", "destroyInstance"] as const),
    ...(["getRepository", "listRunners", "listDownloads", "listJobs", "generateJitConfig"] as const),
    ...(["getRunner", "removeRunner"] as const),
  ],
  post: [
    ...(["destroyInstance", "destroyInstance", "getInstance", "listInstances"] as const),
    ...(["listRunners", "removeRunner", "listJobs", "cancelRun"] as const),
  ],
  sweep: ["listInstances", "destroyInstance", "getInstance", "getRunAttempt", "listRuns", "listJobs"],
};

const TEXTS = [
  "<html><h1>502 Bad Gateway</h1></html>",
  "",
  '{"success": true, "new_contract": NaN, "instances": NaN}',
  '{"success": true, "instan',
  "null",
  "\u0000\u0001::error::foreign",
];

const when = fc.constantFrom("before" as const, "after" as const);

/** A fault of this kind, of some of the first requests. */
function some(kind: string, more: Record<string, fc.Arbitrary<unknown>> = {}): fc.Arbitrary<object> {
  return fc.record({ kind: fc.constant(kind), nth: whole(1, 3), times: whole(1, 3), ...more });
}

const statuses = (own: number) => some("status", { when, status: fc.constantFrom(500, 502, 503, 504, own) });

/** What happens to bytes on their way; the story has what answers say. */
const ON_WIRE = [
  some("lose-answer"),
  some("never-answer", { times: fc.constant(1), when }),
  some("text", { text: fc.constantFrom(...TEXTS), when, status: fc.constantFrom(200, 200, 429, 500, 502) }),
  some("truncate", { bytes: whole(0, 40) }),
  some("delay", { seconds: whole(3, 25), when }),
  some("drip", { seconds: whole(5, 40) }),
];
const OF_SERVICE = [...ON_WIRE, statuses(429), some("refuse")];
const OF_GITHUB = [...ON_WIRE, statuses(422), some("reset"), some("stale")];

/** What happens beside that to one operation. */
const ONLY: Partial<Record<Operation, readonly fc.Arbitrary<object>[]>> = {
  listInstances: [some("stale-list", { seconds: whole(2, 8) }), some("repeat-page")],
  createInstance: [
    // A key that is refused does nothing; only of creates was it seen that they were carried out.
    some("status", { when, status: fc.constantFrom(401, 403) }),
    some("visibility-lag", { seconds: whole(2, 15) }),
    some("offer-gone", { form: fc.constantFrom("404", "410", "400", "200") }),
  ],
};

/** A fault of an operation, as ours or the machines meet it. */
function faultOf(operation: Operation, caller: "account" | "instance" = "account"): fc.Arbitrary<Fault> {
  const meant = byCaller({ operation }, caller);
  const kinds = "caller" in meant ? OF_SERVICE : OF_GITHUB;
  return fc.oneof(...kinds, ...(ONLY[operation] ?? [])).map((given) => ({ ...meant, ...given }) as Fault);
}

const faultsOf = (entry: Entry): fc.Arbitrary<Fault[]> =>
  fc.array(
    fc.constantFrom(...CALLS[entry]).chain((each) => faultOf(each)),
    { maxLength: 3 },
  );

const ofRequest = (operation: fc.Arbitrary<Operation>) =>
  fc.record({ at: fc.constant("request" as const), operation, nth: whole(1, 6), side: when });

const momentOf = (entry: Entry): fc.Arbitrary<Moment> =>
  fc.oneof(
    ofRequest(fc.constantFrom(...CALLS[entry].filter((operation) => isOfService({ operation })))),
    ofRequest(fc.constantFrom(...CALLS[entry].filter((operation) => !isOfService({ operation })))),
    fc.record({ at: fc.constant("time" as const), seconds: whole(5, entry === "main" ? 200 : 40) }),
  );

/** The service is away, or says no, for all of post. */
const outage = fc
  .tuple(
    fc.constantFrom("destroyInstance", "getInstance", "listInstances"),
    fc.constantFrom(
      { kind: "refuse" },
      { kind: "never-answer" },
      { kind: "status", status: 503 },
      { kind: "status", status: 403, body: { success: false, error: "forbidden", msg: "no" } },
      { kind: "status", status: 200, body: { success: false, error: "busy", msg: "try again" } },
      { kind: "text", text: "<html>maintenance</html>", status: 200 },
    ),
  )
  .map(([operation, given]) => ({ operation, caller: "account", ...given }) as Fault);

const MACHINE_DEATH = {
  how: drawn<"frozen" | "rebooted" | "offline" | "back-online" | "black" | "outbid" | "removed" | "exited">(
    "frozen",
    fc.constantFrom("frozen", "rebooted", "offline", "back-online", "black", "outbid", "removed"),
  ),
  once: drawn<"created" | "running" | "online" | "job" | "after a job">(
    "created",
    fc.constantFrom("created", "running", "running", "online", "online", "job", "job", "job"),
  ),
  seconds: drawn(0, whole(0, 20)),
  /** Which of our machines, in the order of their creation, or that of which offer; the newest without it. */
  nth: drawn<number | undefined>(undefined, whole(1, 3)),
  offer: still<number | undefined>(undefined),
};

/** A rented machine's fate, and so many seconds after which event. */
export type MachineDeath = Values<typeof MACHINE_DEATH>;

const QUIRKS = ["late runner", "clock ahead", "clock behind", "no key", "wrong key", "taken", "rival"] as const;
/** What stands behind an offer beside its story: a machine that only a real script can meet. */
export type Quirk = "none" | (typeof QUIRKS)[number];

const OF_MACHINES = fc
  .constantFrom<Operation[]>("getInstance", "destroyInstance", "destroyInstance", "changeInstance")
  .chain((operation) => faultOf(operation, "instance"));
const anyFaults = fc.record({ main: faultsOf("main"), post: faultsOf("post"), sweep: faultsOf("sweep") });
const NO_FAULTS: Record<Entry, Fault[]> = { main: [], post: [], sweep: [] };

const ROUGH = {
  dialect: mostly<Dialect>("observed", fc.constant("seed")),
  /** Of the wire; one run in three has none. */
  faults: drawn(NO_FAULTS, fc.oneof(fc.constant(NO_FAULTS), anyFaults, anyFaults)),
  machineFaults: mostly<Fault[]>([], fc.array(OF_MACHINES, { minLength: 1, maxLength: 2 }), 2),
  /** When main dies, if the story has its death, and by which signal if it is cancelled. */
  moment: drawn<Moment>({ at: "time", seconds: 60 }, momentOf("main")),
  signal: drawn<"SIGINT" | "SIGTERM">("SIGTERM", fc.constantFrom("SIGINT", "SIGTERM")),
  /** When post dies, if the story has its death. */
  ofPost: drawn<Moment>({ at: "time", seconds: 5 }, momentOf("post")),
  /** The service is away for all of post. */
  outage: mostly<Fault | null>(null, outage, 40),
  quirks: drawn<Quirk[]>([], fc.array(mostly<Quirk>("none", fc.constantFrom(...QUIRKS), 5).any, { maxLength: 6 })),
  machineDeaths: mostly<MachineDeath[]>([], fc.array(anyOf(MACHINE_DEATH), { minLength: 1, maxLength: 2 }), 3),
  /** Ends the machines where post did not. `itself`: nobody sweeps until the label expires. */
  without: mostly<"sweep" | "itself">("sweep", fc.constant("itself"), 3),
  ifNoMachine: drawn<"auto" | "cancel" | "leave">("auto", fc.constantFrom("auto", "cancel", "leave")),
  order: drawn<"auto" | "price">("price", fc.constantFrom("auto", "price")),
  /** GB; the registry's own default without it. */
  imageGb: drawn<number | null>(null, fc.constantFrom(null, 0.2, 0.2, 3)),
};

/** What only real processes, sockets and machines can meet, beside a story. */
export type Rough = Values<typeof ROUGH>;

/** A run: a story, and what only real processes can meet. JSON, so that it can be written down. */
export interface Plan {
  story: Story;
  rough: Rough;
}

/** The plan in which nothing happens. */
export const PLAIN_PLAN: Plan = {
  story: aStory({ lifetimeS: 900, jobsOfRun: [aRunJob({ lastsS: 60 })] }),
  rough: plainOf(ROUGH),
};

/** Main dies more often than in virtual time: real signals meet real requests. */
const ANY_PLAN: fc.Arbitrary<Plan> = fc
  .record({
    story: stories(TROUBLES.filter(({ isVirtual }) => !isVirtual)),
    death: fc.option(ANY_DEATH, { nil: undefined, freq: 1 }),
    rough: anyOf(ROUGH),
  })
  .map(({ death, rough, story }) => ({ rough, story: { ...story, death: story.death ?? death } }));

/** Draws a plan. The same seed and index give the same one; what is drawn may lack a prototype, which JSON has. */
export function drawPlan(seed: number, index: number): Plan {
  // A sample's first value would be one of extremes.
  const [plan] = fc.sample(ANY_PLAN, { seed: Math.imul(seed, 1_000_003) ^ index, numRuns: 1, unbiased: true });
  if (plan === undefined) throw new Error("Nothing was drawn.");
  return structuredClone(plan);
}
