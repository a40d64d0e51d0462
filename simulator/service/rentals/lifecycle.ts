import type { StatusStep } from "../../scenario/simulate.ts";

/** Who ended or halted it: a key of the account, its own key, or the machine's owner. */
export type Actor = "account" | "instance" | "owner";

/** Something that happened to an instance; `at` in simulated ms since the epoch. */
export type InstanceEvent =
  | { at: number; kind: "create"; target: "running" | "stopped" }
  | { at: number; kind: "start" }
  | { at: number; kind: "reboot" }
  | { at: number; kind: "stop"; by: Actor }
  | { at: number; kind: "status"; actual_status: string | null; status_msg: string | null }
  | { at: number; kind: "destroy"; by: Actor };

/** All that decides an instance's state, now and at any other time. */
export interface Life {
  readonly events: readonly InstanceEvent[];
  /** The steps from creation to running. */
  readonly boot: readonly StatusStep[];
  /** The steps of a stopped instance to running again. */
  readonly restart: readonly StatusStep[];
  /** The `actual_status` while stopped. */
  readonly stoppedStatus: string;
}

/** Time in one state; `to` is Infinity for the last one of a living instance. */
export interface Phase {
  readonly from: number;
  readonly to: number;
  readonly actual_status: string | null;
  readonly status_msg: string | null;
  readonly intended_status: "running" | "stopped";
  /** A container executes: the GPUs are billed and the onstart's processes live. */
  readonly containerUp: boolean;
}

/** An instance's whole life in order, as it goes if nothing more happens; until its destruction. */
export function phases(life: Life): Phase[] {
  const all: Phase[] = [];
  for (const [index, event] of life.events.entries()) {
    if (event.kind === "destroy") break;
    const to = life.events[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    all.push(...phasesOf(event, life, { previous: all.at(-1), to }));
  }
  return all.filter((phase) => phase.to > phase.from);
}

/** Finds the state at a time: undefined before the creation and once destroyed. */
export function phaseAt(life: Life, now: number): Phase | undefined {
  return phases(life).find((phase) => phase.from <= now && now < phase.to);
}

function phasesOf(
  event: InstanceEvent,
  life: Life,
  { previous, to }: { previous: Phase | undefined; to: number },
): Phase[] {
  const { at: from, kind } = event;
  if (kind === "status") {
    const { actual_status, status_msg } = event;
    const intended_status = previous?.intended_status ?? "running";
    const containerUp = isUp(actual_status, previous?.containerUp ?? false);
    return [{ from, to, actual_status, status_msg, intended_status, containerUp }];
  }
  if (kind === "stop" || (kind === "create" && event.target === "stopped")) {
    const actual_status = life.stoppedStatus;
    return [{ from, to, actual_status, status_msg: null, intended_status: "stopped", containerUp: false }];
  }
  if (kind === "reboot") {
    const [, ...others] = life.restart;
    return bootPhases([{ after: 0, actual_status: "rebooting" }, ...others], from, to);
  }
  return bootPhases(kind === "create" ? life.boot : life.restart, from, to);
}

function bootPhases(given: readonly StatusStep[], start: number, end: number): Phase[] {
  // Before its first step an instance already exists: it is being provisioned.
  const whole = given[0]?.after === 0 ? given : [{ after: 0, actual_status: null }, ...given];
  // A step that is never reached must leave no trace, not even for the event that cut it off.
  const steps = whole.filter(({ after }, index) => index === 0 || start + after * 1000 < end);
  let containerUp = false;
  return steps.map(({ after, actual_status, status_msg = null }, index) => {
    containerUp = isUp(actual_status, containerUp);
    const next = steps[index + 1];
    const times = { from: start + after * 1000, to: next ? start + next.after * 1000 : end };
    return { ...times, actual_status, status_msg, intended_status: "running", containerUp };
  });
}

/** A lost heartbeat (unknown) or a pause (frozen) ends no container; any other status does. */
function isUp(actual_status: string | null, before: boolean): boolean {
  if (actual_status === "running") return true;
  return before && (actual_status === "unknown" || actual_status === "frozen");
}
