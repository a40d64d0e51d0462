import { type Fate, type HistoryPort, imageMark } from "../market/history.ts";
import { expectedBootMs } from "../money/boot.ts";
import type { FleetRequest } from "./options.ts";
import { type Machine, mainInstance } from "./stage.ts";
import type { Fleet } from "./state.ts";

/** Tells the history what became of each machine, once for each thing. */
export class Rememberer {
  readonly #history: HistoryPort;
  readonly #request: FleetRequest;
  readonly #told = new Set<string>();

  constructor(history: HistoryPort, request: FleetRequest) {
    this.#history = history;
    this.#request = request;
  }

  look({ machines }: Fleet): void {
    for (const machine of machines) {
      for (const fate of fatesOf(machine, this.#request)) {
        const key = `${machine.machineNo} ${fate.kind}`;
        if (!this.#told.has(key)) this.#history.note(fate);
        this.#told.add(key);
      }
    }
  }
}

function fatesOf(machine: Machine, request: FleetRequest): Fate[] {
  const { candidate, ending, slots } = machine;
  const { machineId: id } = candidate.offer;
  const { foundAt, runningAt } = mainInstance(machine) ?? {};
  if (id === undefined) return [];
  const image = imageMark(request.image);
  const served = slots.find(({ job, onlineAt }) => job !== undefined && onlineAt !== undefined);
  // Learnt is the ratio to the time of a host of which nothing is known.
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

/** Neither the image's, nor the account's: a higher bid, no credit, a create that was refused. */
function isHostsFault({ blame, isOutbid, isStopped, kind }: NonNullable<Machine["ending"]>): boolean {
  const hasFailed = ["failed", "lost", "dropped"].includes(kind);
  return hasFailed && blame !== "image" && blame !== "refused" && !isOutbid && !isStopped;
}
