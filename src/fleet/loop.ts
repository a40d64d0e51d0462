import { isDeepStrictEqual } from "node:util";
import type { MachineRecord } from "../machine/record.ts";
import { type Decision, decide } from "./decide.ts";
import type { FleetDeps } from "./deps.ts";
import { Effects } from "./effects.ts";
import type { End } from "./end.ts";
import type { FleetEvent } from "./events.ts";
import { rememberer } from "./lessons.ts";
import { LATE } from "./lifecycle/late.ts";
import { Observer } from "./observe.ts";
import { type FleetOptions, type FleetRequest, type Rules, rulesOf } from "./options.ts";
import { paceOf } from "./pace.ts";
import { recordsOfMachine, rowOf } from "./recording/records.ts";
import { reduce } from "./reduce.ts";
import { isOfferGone } from "./renting/failures.ts";
import { type Machine, machineFacts } from "./stage.ts";
import type { Fleet, FleetState } from "./state.ts";

/** Is called with each event before it is written into the state, and after each look with its decision. */
export interface FleetWatcher {
  happened?(event: FleetEvent, fleet: Fleet, rules: Rules): void;
  looked?(fleet: Fleet, decision: Decision, at: number): void;
}

/**
 * Runs the loop of observe, reduce, decide and effects until a decision says how it ends. Then it
 * stops the effects that are under way. Post destroys what is left.
 */
export async function runFleet(
  deps: FleetDeps,
  request: FleetRequest,
  options: FleetOptions,
  fleet: FleetState,
  watcher: FleetWatcher = {},
): Promise<End> {
  const rules = rulesOf(options, request);
  const { clock } = deps;
  const keep = ledgerKeeper(deps, fleet);
  // Also what the last effects came to.
  using _kept = { [Symbol.dispose]: keep };
  const apply = (event: FleetEvent) => {
    watcher.happened?.(event, fleet, rules);
    reduce(fleet, event);
  };
  await using effects = new Effects(deps, request, apply);
  const observer = new Observer(deps, request, (machineNo, text) => effects.hide(machineNo, text), fleet.instancesAt);
  const remember = rememberer(deps.history, request);
  const paceNow = () =>
    paceOf(fleet, rules, clock.now(), {
      requestsLeft: deps.requestsLeft(),
      requestsCounted: deps.requestsCounted(),
      runnersAskedAlone: deps.runners.askedAlone,
      usualJobMs: (name) => deps.history.usualJobMs(name),
    });
  let pace = paceNow();
  for (;;) {
    await observer.look(fleet, pace, apply);
    effects.empty();
    const at = clock.now();
    const decision = decide(fleet, rules, at);
    apply({ kind: "Decided", at, decision });
    keep();
    remember(fleet);
    watcher.looked?.(fleet, decision, at);
    if (decision.end !== undefined) return decision.end;
    for (const command of decision.commands) effects.start(command, fleet);
    pace = paceNow();
    await effects.nap(Math.max(0, Math.min(observer.nextAt(pace) - clock.now(), LATE.lookAgain)));
  }
}

/**
 * Makes a function that writes a machine's record to the ledger when it changed, and once that none was made, so that
 * post can read it whatever happens to main.
 */
function ledgerKeeper({ ledger }: FleetDeps, fleet: Fleet): () => void {
  const written = new Map<number, MachineRecord | "none">();
  const write = (row: number, entry: MachineRecord | "none") => {
    if (isDeepStrictEqual(written.get(row), entry)) return;
    if (entry === "none") ledger.created(row, entry);
    else ledger.report(row, entry);
    written.set(row, entry);
  };
  return () => {
    for (const machine of fleet.machines) {
      if (wasRefused(machine)) write(machine.machineNo, "none");
      for (const [index, record] of recordsOfMachine(machine).entries()) write(rowOf(machine, index), record);
    }
  };
}

/** True if the service refused the create, and somebody else has the offer or a list confirms that. */
function wasRefused(machine: Machine): boolean {
  const { answer } = machine;
  const isSure = answer?.kind === "refused" && (isOfferGone(answer) || answer.isMissed === true);
  return isSure && !machineFacts(machine).isMade;
}
