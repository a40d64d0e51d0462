import type { Fault as GithubFault } from "../../simulator/github/faults.ts";
import type { OperationName } from "../../simulator/github/operation-name.ts";
import type { Fault as ServiceFault, ServiceOperation } from "../../simulator/scenario/fault.ts";
import type { Fault, Where } from "../stories/fault.ts";
import type { Faults } from "./planned-run.ts";

const PAGE = "<html><head><title>Just a moment</title></head></html>";

const OF_SERVICE: Partial<Record<Where, readonly ServiceOperation[]>> = {
  list: ["listInstances"],
  get: ["getInstance"],
  create: ["createInstance"],
  destroy: ["destroyInstance"],
  search: ["searchOffers"],
  service: ["listInstances", "getInstance", "createInstance", "destroyInstance", "searchOffers"],
};

const OF_GITHUB: Partial<Record<Where, readonly OperationName[]>> = {
  register: ["generateJitConfig"],
  runners: ["listRunners", "getRunner"],
  remove: ["removeRunner"],
  jobs: ["listJobs"],
  cancel: ["cancelRun"],
  "github-token": ["generateJitConfig", "listRunners", "getRunner", "removeRunner"],
  "job-token": ["listJobs", "cancelRun"],
};

/** A list is asked for so often, and everything else so seldom, in seconds: a fault's time becomes a number of requests. */
const LIST_EVERY_S = 15;
const ELSE_EVERY_S = 120;
const MOST_TIMES = 40;

/** What happens to a request of the service. */
const SAID_BY_SERVICE: Partial<Record<Fault["what"], (fault: Fault) => Partial<ServiceFault>>> = {
  lost: () => ({ kind: "refuse" }),
  "lost after": () => ({ kind: "lose-answer" }),
  hangs: () => ({ kind: "never-answer", when: "after" }),
  "429": () => ({ kind: "status", status: 429, body: { success: false, msg: "API requests too frequent" } }),
  "401": () => refused(401, "auth_error", "Invalid user key"),
  "403": () => refused(403, "forbidden", "Your key may not do this"),
  "404": () => refused(404, "not_found", "no such path"),
  "400 host": () => refused(400, "invalid_args", "not enough disk on this machine"),
  "400 request": () => refused(400, "invalid_args", "error 400/3603: invalid value of env"),
  "no offers": () => ({ kind: "status", status: 200, body: { offers: [] } }),
  taken: () => ({ kind: "offer-gone" }),
  "no credit": () => ({ kind: "no-credit" }),
  twin: ({ detail }) => ({ kind: "twin", seconds: detail - 30 }),
  "comes late": ({ detail }) => ({ kind: "late-create", seconds: 1 + (detail % 35) }),
  "no id": () => ({ kind: "status", status: 200, body: { success: true }, when: "after" }),
  "refused, and an id": () => ({ kind: "error-with-contract" }),
  "said, not done": () => ({ kind: "status", status: 200, body: { success: true } }),
  "success: false": () => refused(200, "busy", "The machine did not answer."),
  old: ({ detail }) => ({ kind: "stale-list", seconds: detail }),
};

/** What happens to a request of GitHub. */
const SAID_BY_GITHUB: Partial<Record<Fault["what"], (fault: Fault) => Partial<GithubFault>>> = {
  lost: () => ({ kind: "reset" }),
  "lost after": () => ({ kind: "lose-answer" }),
  "429": () => ({ kind: "status", status: 429, headers: { "retry-after": "5" } }),
  ...Object.fromEntries(
    (["401", "403", "404", "409"] as const).map((what) => [what, () => ({ kind: "status", status: Number(what) })]),
  ),
  old: ({ detail }) => ({ kind: "stale", seconds: detail }),
};

function refused(status: number, error: string, msg: string): Partial<ServiceFault> {
  return { kind: "status", status, body: { success: false, error, msg } };
}

/** The story's faults, by which requests they hit. What the simulator can't play is left out. */
export function faultsOf(faults: readonly Fault[]): Faults {
  return {
    service: faults.flatMap((fault) =>
      (OF_SERVICE[fault.where] ?? []).flatMap((operation) => {
        const said = SAID_BY_SERVICE[fault.what]?.(fault) ?? onAnyWay(fault, operation);
        return said === undefined ? [] : [{ operation, caller: "account", ...timesOf(fault, operation), ...said }];
      }),
    ) as ServiceFault[],
    github: faults.flatMap((fault) =>
      (OF_GITHUB[fault.where] ?? []).flatMap((operation) => {
        const isRead = fault.what !== "old" || operation.startsWith("list");
        const said = isRead ? (SAID_BY_GITHUB[fault.what]?.(fault) ?? onAnyWay(fault, operation)) : undefined;
        return said === undefined ? [] : [{ operation, ...timesOf(fault, operation), ...said }];
      }),
    ) as GithubFault[],
  };
}

/** Pages of gateways, and lists that lack rows. */
function onAnyWay({ detail, what }: Fault, operation: string) {
  if (what === "502" || what.startsWith("page "))
    return { kind: "text", text: PAGE, status: Number(what.replace("page ", "")) } as const;
  const isEmpty = what.startsWith("empty");
  if (!(isEmpty || what.startsWith("partial")) || !operation.startsWith("list")) return undefined;
  const total = what.endsWith("honest") ? "all" : "shown";
  return { kind: "short-list", lacks: isEmpty ? "all" : detail, total } as const;
}

function timesOf({ fromS, lastsS, times }: Fault, operation: string): { nth: number; times: number } {
  const everyS = operation.startsWith("list") ? LIST_EVERY_S : ELSE_EVERY_S;
  const within = Math.ceil(lastsS / everyS);
  return { nth: 1 + Math.min(MOST_TIMES, Math.floor(fromS / everyS)), times: Math.min(times, within, MOST_TIMES) };
}
