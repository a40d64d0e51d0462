import { UserError } from "../../shared/user-error.ts";
import type { Command, Decision } from "../decide.ts";
import type { FleetEvent } from "../events.ts";
import type { Rules } from "../options.ts";
import { reduce } from "../reduce.ts";
import type { Fleet, FleetState } from "../state.ts";

/** Version of events and state. A file of another version is refused. */
export const EVENTS_VERSION = 7;

/** The first line of an events file: the state that the events begin with. */
interface EventsHeader {
  version: number;
  rules: Rules;
  state: Fleet;
}

/** Says that a file is no list of events, or one of another version. The user can give another file. */
export class EventsUnreadableError extends UserError {
  constructor(what: string) {
    super(`${what} Nothing was changed anywhere: a replay only reads.`, {
      hint: "Give it the file that the output events names, whole and unchanged, and the version of this action that wrote it.",
    });
  }
}

/**
 * Replays a file of events: returns a line for each decision, and the state at the end. Throws EventsUnreadableError
 * for a file that is cut, old or hostile.
 */
export function replay(text: string) {
  const [first = "", ...rest] = text.split("\n");
  const state = stateOfLine(first);
  const lines = rest.flatMap((line, index) => (line === "" ? [] : replayLine(state, line, index + 2)));
  return { lines, state };
}

function stateOfLine(line: string): FleetState {
  const header = parse(line, 1) as Partial<EventsHeader> | null;
  if (header?.version !== EVENTS_VERSION)
    throw new EventsUnreadableError(`The file does not begin as one of version ${EVENTS_VERSION} does.`);
  if (!Array.isArray(header.state?.machines)) throw new EventsUnreadableError("The file's first line has no state.");
  return header.state as FleetState;
}

function replayLine(state: FleetState, line: string, number: number): string[] {
  const event = parse(line, number) as FleetEvent;
  try {
    reduce(state, event);
    return event.kind === "Decided" ? describeDecision(event.decision, event.at - state.startedAt) : [];
  } catch {
    // Whatever it trips over, no event of ours has that form.
    throw new EventsUnreadableError(`Line ${number} of the file is no event of version ${EVENTS_VERSION}.`);
  }
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new EventsUnreadableError(`Line ${number} of the file is no JSON: the file is cut, or was changed.`);
  }
}

/** Says what was decided and why, with the seconds since the start. Empty if nothing was. */
function describeDecision(decision: Decision, sinceMs: number): string[] {
  const { commands, end, endings, lacking, stop, takenBack, wanted, waitsFor } = decision;
  const lines = [
    ...endings.map(({ ending, machineNo }) => `machine ${machineNo} ends: ${ending.kind}, ${ending.why}`),
    ...takenBack.map((machineNo) => `machine ${machineNo} stays: what was seen since takes its end back`),
    ...commands.map((command) => (DESCRIBED[command.kind] as (command: Command) => string)(command)),
    ...(stop === undefined ? [] : [`renting stops: ${stop.id}`]),
    ...(waitsFor === undefined ? [] : [`a create waits for: ${waitsFor}`]),
    ...(end === undefined ? [] : [`the end: ${end.kind}`]),
  ];
  const why = `${wanted} wanted, ${lacking} lacking`;
  return lines.map((line) => `${(sinceMs / 1000).toFixed(1).padStart(8)} s  ${line} (${why})`);
}

const DESCRIBED: { [Kind in Command["kind"]]: (command: Extract<Command, { kind: Kind }>) => string } = {
  search: ({ isBid }) => `search ${isBid ? "for bids" : "on demand"}`,
  create: ({ order }) => `create machine ${order.machineNo} of offer ${order.candidate.offer.id}`,
  drain: ({ machineNo }) => `take the runners of machine ${machineNo} away`,
  destroy: ({ id, machineNo }) => `destroy instance ${id} of machine ${machineNo}`,
  "read-machine-log": ({ machineNo }) => `read the log of machine ${machineNo}`,
  "read-job-log": ({ jobId, machineNo }) => `read the log of job ${jobId} on machine ${machineNo}`,
  "look-up-image": () => "ask the image's registry whether it has the image",
};
