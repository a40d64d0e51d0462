import type { Fault as GithubFault } from "../../../simulator/github/faults.ts";
import type { OperationName } from "../../../simulator/github/operation-name.ts";
import type { Fault as ServiceFault, ServiceOperation } from "../../../simulator/scenario/fault.ts";
import type { Entry, Faults } from "../planned-run.ts";
import type { Dice } from "./dice.ts";

/** The requests of each entry, all with faults; those that matter more stand there more often. */
export const SERVICE_CALLS: Record<Entry, readonly ServiceOperation[]> = {
  main: [
    ...(["listInstances", "currentUser", "searchOffers"] as const),
    ...([
      "createInstance",
      "createInstance",
      "createInstance",
      "listInstances",
      "listInstances",
      "destroyInstance",
    ] as const),
  ],
  post: ["destroyInstance", "destroyInstance", "getInstance", "listInstances"],
  sweep: ["listInstances", "destroyInstance", "getInstance"],
};

/** The requests of each entry to GitHub. */
export const GITHUB_CALLS: Record<Entry, readonly OperationName[]> = {
  main: [
    ...(["getRepository", "listRunners", "listDownloads", "listJobs", "listJobs"] as const),
    ...(["generateJitConfig", "generateJitConfig", "getRunner", "getRunner", "removeRunner", "removeRunner"] as const),
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
const KEY_REFUSALS: ReadonlySet<number> = new Set([401, 403]);
const STATUSES = [500, 500, 502, 503, 503, 504, 429, 429, 401, 403];

/** A few faults of one entry's requests; post and sweep can outlive each of them. */
export function drawFaults(dice: Dice, entry: Entry): Faults {
  const most = { main: 3, post: 3, sweep: 2 }[entry];
  return {
    service: [
      ...dice.several(0, most, () => drawServiceFault(dice, dice.pick(SERVICE_CALLS[entry]), "account")),
      ...(entry === "main" && dice.chance(0.35) ? [drawCreateFault(dice)] : []),
    ],
    github: dice.several(0, most - 1, () => drawGithubFault(dice, dice.pick(GITHUB_CALLS[entry]))),
  };
}

/** A few faults of what the machine asks with its own key. */
export function drawMachineFaults(dice: Dice): ServiceFault[] {
  const draw = () =>
    drawServiceFault(
      dice,
      dice.pick(["getInstance", "destroyInstance", "destroyInstance", "changeInstance"]),
      "instance",
    );
  return dice.chance(0.4) ? dice.several(1, 2, draw) : [];
}

/** One that lasts for all of post. */
export function drawOutage(dice: Dice): ServiceFault {
  const operation = dice.weighted({ destroyInstance: 3, getInstance: 1, listInstances: 1 });
  const common = { operation, caller: "account" } as const;
  return dice.pick<ServiceFault>([
    { ...common, kind: "refuse" },
    { ...common, kind: "never-answer" },
    { ...common, kind: "status", status: 503 },
    { ...common, kind: "status", status: 403, body: { success: false, error: "forbidden", msg: "no" } },
    { ...common, kind: "status", status: 200, body: { success: false, error: "busy", msg: "try again" } },
    { ...common, kind: "text", text: "<html>maintenance</html>", status: 200 },
  ]);
}

function drawServiceFault(dice: Dice, operation: ServiceOperation, caller: "account" | "instance"): ServiceFault {
  const common = { operation, caller, nth: dice.whole(1, 3), times: dice.whole(1, 3) };
  const when = dice.pick(["before", "after"] as const);
  const kind = dice.weighted({
    refuse: 2,
    "lose-answer": 3,
    "never-answer": 1,
    status: 4,
    refusal: 1,
    text: 3,
    truncate: 2,
    delay: 2,
    drip: 1,
    list: operation === "listInstances" ? 6 : 0,
  });
  switch (kind) {
    case "refuse":
    case "lose-answer":
      return { ...common, kind };
    case "never-answer":
      return { ...common, times: 1, kind, when };
    case "status": {
      const status = dice.pick(STATUSES);
      const body = { success: false, error: "fault", msg: "fault" };
      // A key that is refused does nothing; only of creates was it seen that they were carried out.
      const isRefused = KEY_REFUSALS.has(status) && operation !== "createInstance";
      return { ...common, kind, status, body, when: isRefused ? "before" : when };
    }
    case "refusal":
      return { ...common, kind: "status", status: 200, body: { success: false, error: "busy", msg: "try again" } };
    case "text":
      return { ...common, kind, text: dice.pick(TEXTS), status: dice.pick([200, 200, 429, 500, 502]), when };
    case "truncate":
      return { ...common, kind, bytes: dice.whole(0, 30) };
    case "delay":
      return { ...common, kind, seconds: dice.whole(3, 25), when };
    case "drip":
      return { ...common, kind, seconds: dice.whole(5, 40) };
    case "list":
      return dice.chance(0.7)
        ? { ...common, kind: "stale-list", seconds: dice.whole(2, 8) }
        : { ...common, kind: "repeat-page" };
  }
}

function drawCreateFault(dice: Dice): ServiceFault {
  const common = { operation: "createInstance", nth: dice.whole(1, 2) } as const;
  return dice.pick<ServiceFault>([
    { ...common, kind: "late-create", seconds: dice.whole(1, 15) },
    { ...common, kind: "offer-gone", form: dice.pick(["404", "410", "400", "200"] as const) },
    { ...common, kind: "error-with-contract", status: dice.pick([400, 409, 500]) },
    { ...common, kind: "visibility-lag", seconds: dice.whole(2, 15) },
    { ...common, kind: "lose-answer" },
    { ...common, kind: "never-answer", when: "after" },
    { ...common, kind: "status", status: 500, when: "after" },
    { ...common, kind: "truncate", bytes: dice.whole(0, 40) },
    { ...common, kind: "no-credit" },
  ]);
}

/**
 * The first create gives no clear answer, and what comes of it is shown so late that a first look
 * of post misses it. With a list that lags 8 s it
 * still is shown within the 40 s for which post looks.
 */
export function drawUncertainCreate(dice: Dice): ServiceFault[] {
  const common = { operation: "createInstance", nth: 1 } as const;
  const shownAfter = dice.whole(18, 32);
  const late = dice.whole(3, 15);
  const uncertain = dice.pick<ServiceFault>([
    { ...common, kind: "late-create", seconds: late },
    { ...common, kind: "lose-answer" },
    { ...common, kind: "never-answer", when: "after" },
    { ...common, kind: "status", status: 502, when: "after" },
    { ...common, kind: "text", text: dice.pick(TEXTS), status: 200, when: "after" },
  ]);
  const seconds = uncertain.kind === "late-create" ? shownAfter - late : shownAfter;
  return [uncertain, { ...common, kind: "visibility-lag", seconds }];
}

function drawGithubFault(dice: Dice, operation: OperationName): GithubFault {
  const common = { operation, nth: dice.whole(1, 3), times: dice.whole(1, 3) };
  const when = dice.pick(["before", "after"] as const);
  const kind = dice.weighted({
    status: 4,
    limit: 1,
    text: 2,
    reset: 2,
    "lose-answer": 2,
    "never-answer": 1,
    truncate: 1,
    delay: 1,
    drip: 1,
    stale: 2,
  });
  switch (kind) {
    case "status":
      return { ...common, kind, status: dice.pick([500, 500, 502, 502, 503, 503, 504, 401, 403, 422]), when };
    case "limit":
      return { ...common, kind: "status", status: 429, headers: { "retry-after": "5" } };
    case "text":
      return { ...common, kind, text: dice.pick(TEXTS), status: dice.pick([200, 502]), when };
    case "reset":
    case "lose-answer":
    case "stale":
      return { ...common, kind };
    case "never-answer":
      return { ...common, times: 1, kind, when };
    case "truncate":
      return { ...common, kind, bytes: dice.whole(0, 30) };
    case "delay":
      return { ...common, kind, seconds: dice.whole(2, 15), when };
    case "drip":
      return { ...common, kind, seconds: dice.whole(5, 30) };
  }
}
