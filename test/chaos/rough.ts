import fc from "fast-check";
import type { Fault as GithubFault } from "../../simulator/github/faults.ts";
import type { OperationName } from "../../simulator/github/operation-name.ts";
import type { Fault as ServiceFault, ServiceOperation } from "../../simulator/scenario/fault.ts";
import type { Dialect } from "../../simulator/service/traffic/refusal.ts";
import type { Entry, Faults, MachineDeath, Moment, PlannedRun } from "./planned-run.ts";

/** What stands behind an offer beside its story: a machine that only a real script can meet. */
export type Quirk =
  | "none"
  | "late runner"
  | "clock ahead"
  | "clock behind"
  | "no key"
  | "wrong key"
  | "taken"
  | "rival";

/** What only real processes, sockets and machines can meet, beside a story. JSON. */
export interface Rough {
  dialect: Dialect;
  /** Of the wire. */
  faults: Record<Entry, Faults>;
  machineFaults: ServiceFault[];
  /** When main dies, if the story has its death, and by which signal if it is cancelled. */
  moment: Moment;
  signal: "SIGINT" | "SIGTERM";
  /** When post dies, if the story has its death. */
  ofPost: Moment;
  /** The service is away for all of post. */
  outage: ServiceFault | null;
  quirks: Quirk[];
  machineDeaths: MachineDeath[];
  without: PlannedRun["without"];
  ifNoMachine: "auto" | "cancel" | "leave";
  order: "auto" | "price";
  imageGb: number | null;
}

const NONE: Faults = { service: [], github: [] };

/** Nothing of it. */
export const NOTHING_ROUGH: Rough = {
  dialect: "observed",
  faults: { main: NONE, post: NONE, sweep: NONE },
  machineFaults: [],
  moment: { at: "time", seconds: 60 },
  signal: "SIGTERM",
  ofPost: { at: "time", seconds: 5 },
  outage: null,
  quirks: [],
  machineDeaths: [],
  without: "sweep",
  ifNoMachine: "auto",
  order: "price",
  imageGb: null,
};

/** The requests of each entry, all with faults; those that matter more stand there more often. */
const SERVICE_CALLS: Record<Entry, readonly ServiceOperation[]> = {
  main: [
    ...(["listInstances", "currentUser", "searchOffers", "createInstance", "createInstance"] as const),
    ...(["createInstance", "listInstances", "listInstances", "destroyInstance"] as const),
  ],
  post: ["destroyInstance", "destroyInstance", "getInstance", "listInstances"],
  sweep: ["listInstances", "destroyInstance", "getInstance"],
};

/** The requests of each entry to GitHub. */
const GITHUB_CALLS: Record<Entry, readonly OperationName[]> = {
  main: [
    ...(["getRepository", "listRunners", "listDownloads", "listJobs", "listJobs", "generateJitConfig"] as const),
    ...(["generateJitConfig", "getRunner", "getRunner", "removeRunner", "removeRunner"] as const),
  ],
  post: ["listRunners", "removeRunner", "listJobs", "cancelRun"],
  sweep: ["getRunAttempt", "listRuns", "listJobs"],
};

const TEXTS = [
  "<html><h1>502 Bad Gateway</h1></html>",
  "",
  '{"success": true, "new_contract": NaN, "instances": NaN}',
  '{"success": true, "instan',
  "null",
  "\u0000\u0001::error::foreign",
];

const whole = (min: number, max: number) => fc.integer({ min, max });
const kind = <const Kind extends string>(name: Kind) => fc.constant(name);
const when = fc.constantFrom("before" as const, "after" as const);
const looks = { nth: whole(1, 3), times: whole(1, 3) };

/** What happens to bytes on their way; the story has what answers say. */
const onWire = {
  lost: fc.record({ kind: kind("lose-answer"), ...looks }),
  never: fc.record({ kind: kind("never-answer"), nth: whole(1, 3), times: fc.constant(1), when }),
  text: fc.record({
    ...{ kind: kind("text"), ...looks, text: fc.constantFrom(...TEXTS), when },
    status: fc.constantFrom(200, 200, 429, 500, 502),
  }),
  cut: fc.record({ kind: kind("truncate"), ...looks, bytes: whole(0, 40) }),
  late: fc.record({ kind: kind("delay"), ...looks, seconds: whole(3, 25), when }),
  drip: fc.record({ kind: kind("drip"), ...looks, seconds: whole(5, 40) }),
};

function serviceFault(operation: ServiceOperation, caller: "account" | "instance"): fc.Arbitrary<ServiceFault> {
  const { cut, drip, late, lost, never, text } = onWire;
  // A key that is refused does nothing; only of creates was it seen that they were carried out.
  const refusable = operation === "createInstance" ? [401, 403] : [];
  const status = fc.record({
    ...{ kind: kind("status"), ...looks, when, body: fc.constant({ success: false, error: "fault", msg: "fault" }) },
    status: fc.constantFrom(500, 502, 503, 504, 429, ...refusable),
  });
  const refused = fc.record({ kind: kind("refuse"), ...looks });
  const ofLists = [
    fc.record({ kind: kind("stale-list"), ...looks, seconds: whole(2, 8) }),
    fc.record({ kind: kind("repeat-page"), ...looks }),
  ];
  const ofCreates = [
    fc.record({ kind: kind("visibility-lag"), nth: whole(1, 2), seconds: whole(2, 15) }),
    fc.record({
      ...{ kind: kind("offer-gone"), nth: whole(1, 2) },
      form: fc.constantFrom("404" as const, "410" as const, "400" as const, "200" as const),
    }),
  ];
  const more = [
    ...(operation === "listInstances" ? ofLists : []),
    ...(operation === "createInstance" ? ofCreates : []),
  ];
  return fc
    .oneof(lost, never, text, cut, late, drip, status, refused, ...more)
    .map((given) => ({ operation, caller, ...given }) as ServiceFault);
}

function githubFault(operation: OperationName): fc.Arbitrary<GithubFault> {
  const { cut, drip, late, lost, never, text } = onWire;
  const status = fc.record({ kind: kind("status"), ...looks, status: fc.constantFrom(500, 502, 503, 504, 422), when });
  const others = [fc.record({ kind: kind("reset"), ...looks }), fc.record({ kind: kind("stale"), ...looks })];
  return fc
    .oneof(lost, never, text, cut, late, drip, status, ...others)
    .map((given) => ({ operation, ...given }) as GithubFault);
}

const faultsOf = (entry: Entry): fc.Arbitrary<Faults> =>
  fc.record({
    service: fc.array(
      fc.constantFrom(...SERVICE_CALLS[entry]).chain((each) => serviceFault(each, "account")),
      { maxLength: 2 },
    ),
    github: fc.array(fc.constantFrom(...GITHUB_CALLS[entry]).chain(githubFault), { maxLength: 1 }),
  });

const momentOf = (entry: Entry): fc.Arbitrary<Moment> =>
  fc.oneof(
    fc.record({
      ...{ at: kind("service"), operation: fc.constantFrom(...SERVICE_CALLS[entry]), nth: whole(1, 5), side: when },
    }),
    fc.record({ at: kind("github"), operation: fc.constantFrom(...GITHUB_CALLS[entry]), nth: whole(1, 6), side: when }),
    fc.record({ at: kind("time"), seconds: whole(5, entry === "main" ? 200 : 40) }),
  );

/** One that lasts for all of post. */
const outage: fc.Arbitrary<ServiceFault> = fc
  .tuple(
    fc.constantFrom("destroyInstance" as const, "getInstance" as const, "listInstances" as const),
    fc.constantFrom<Partial<ServiceFault>>(
      { kind: "refuse" },
      { kind: "never-answer" },
      { kind: "status", status: 503 },
      { kind: "status", status: 403, body: { success: false, error: "forbidden", msg: "no" } },
      { kind: "status", status: 200, body: { success: false, error: "busy", msg: "try again" } },
      { kind: "text", text: "<html>maintenance</html>", status: 200 },
    ),
  )
  .map(([operation, given]) => ({ operation, caller: "account", ...given }) as ServiceFault);

const machineDeath: fc.Arbitrary<MachineDeath> = fc.record({
  how: fc.constantFrom("frozen", "rebooted", "offline", "back-online", "black", "outbid", "removed"),
  once: fc.constantFrom("created", "running", "running", "online", "online", "job", "job", "job"),
  seconds: whole(0, 20),
  nth: whole(1, 3),
});

const often = <T>(usual: T, other: fc.Arbitrary<T>, weight = 4) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight }, { arbitrary: other, weight: 1 });

/** Anything of it; one run in three has nothing of the wire. */
export const ANY_ROUGH: fc.Arbitrary<Rough> = fc.record({
  dialect: often<Dialect>("observed", fc.constant("seed")),
  faults: fc.oneof(
    { arbitrary: fc.constant(NOTHING_ROUGH.faults), weight: 1 },
    { arbitrary: fc.record({ main: faultsOf("main"), post: faultsOf("post"), sweep: faultsOf("sweep") }), weight: 2 },
  ),
  machineFaults: often<ServiceFault[]>(
    [],
    fc.array(
      fc
        .constantFrom<ServiceOperation>("getInstance", "destroyInstance", "destroyInstance", "changeInstance")
        .chain((operation) => serviceFault(operation, "instance")),
      { minLength: 1, maxLength: 2 },
    ),
    2,
  ),
  moment: momentOf("main"),
  signal: fc.constantFrom("SIGINT", "SIGTERM"),
  ofPost: momentOf("post"),
  outage: often<ServiceFault | null>(null, outage, 40),
  quirks: fc.array(
    often<Quirk>(
      "none",
      fc.constantFrom("late runner", "clock ahead", "clock behind", "no key", "wrong key", "taken", "rival"),
      5,
    ),
    { maxLength: 6 },
  ),
  machineDeaths: often<MachineDeath[]>([], fc.array(machineDeath, { minLength: 1, maxLength: 2 }), 3),
  without: often<PlannedRun["without"]>("sweep", fc.constant("itself"), 3),
  ifNoMachine: fc.constantFrom("auto", "cancel", "leave"),
  order: fc.constantFrom("auto", "price"),
  imageGb: fc.constantFrom(null, 0.2, 0.2, 3),
});
