import { type Fate, type HistoryPort, imageMark } from "../market/history.ts";
import { expectedBootMs } from "../money/boot.ts";
import type { FleetRequest } from "./options.ts";
import { hasServedSince, refusedRunners } from "./refused-runners.ts";
import { aliveInstances, type Machine, mainInstance, runningAt } from "./stage.ts";
import type { Fleet } from "./state.ts";

/** Tells the history what became of each machine, each thing once. */
export class Rememberer {
  readonly #history: HistoryPort;
  readonly #request: FleetRequest;
  readonly #image: string;
  readonly #told = new Set<string>();

  constructor(history: HistoryPort, request: FleetRequest) {
    this.#history = history;
    this.#request = request;
    this.#image = imageMark(request.image);
  }

  look(fleet: Fleet): void {
    for (const machine of fleet.machines) {
      for (const fate of fatesOf(machine, this.#request, this.#image)) {
        if (fate.kind === "failed" && !isKnownFault(machine, fleet)) continue;
        const key = `${machine.machineNo} ${fate.kind}`;
        if (!this.#told.has(key)) this.#history.note(fate);
        this.#told.add(key);
      }
    }
  }
}

function fatesOf(machine: Machine, request: FleetRequest, image: string): Fate[] {
  const { candidate, ending, slots } = machine;
  const { machineId: id } = candidate.offer;
  const { foundAt, runningAt } = mainInstance(machine) ?? {};
  if (id === undefined) return [];
  const served = slots.find(({ job, onlineAt }) => job !== undefined && onlineAt !== undefined);
  // The history learns the ratio to the time of a host of which nothing is known.
  const estimateMs = candidate.expected?.hasImage ? undefined : expectedBootMs(request.image, candidate.offer);
  return [
    ...(runningAt !== undefined && foundAt !== undefined
      ? [{ kind: "booted" as const, machine: id, at: runningAt, image, estimateMs, actualMs: runningAt - foundAt }]
      : []),
    ...(served?.onlineAt === undefined ? [] : [{ kind: "served" as const, machine: id, at: served.onlineAt }]),
    ...(ending !== undefined && isHostsFault(ending)
      ? [{ kind: "failed" as const, machine: id, at: ending.since }]
      : []),
  ];
}

/**
 * True if the host is known to be at fault. A runner's last words may be about GitHub until another
 * runner gets a job, and the log is read before the machine is destroyed.
 */
function isKnownFault(machine: Machine, fleet: Fleet): boolean {
  const { ending, words } = machine;
  const isLogDue = ending?.kind === "failed" || ending?.kind === "dropped";
  const mayTell = isLogDue && runningAt(machine) !== undefined && aliveInstances(machine).length > 0;
  if (words === undefined) return !mayTell;
  return (
    words.by === "script" || (hasServedSince(fleet, ending?.since ?? 0) && !refusedRunners(fleet).includes(machine))
  );
}

/** True if the end is not the image's or the account's: no higher bid, no lack of credit, no refused create. */
function isHostsFault({ blame, isOutbid, isStopped, kind }: NonNullable<Machine["ending"]>): boolean {
  const hasFailed = ["failed", "lost", "dropped"].includes(kind);
  return hasFailed && blame !== "image" && blame !== "unfit-image" && blame !== "refused" && !isOutbid && !isStopped;
}
