import { isDeepStrictEqual } from "node:util";
import type { MachineRecord } from "../machine/record.ts";
import { type Decision, decide } from "./decide.ts";
import type { FleetDeps } from "./deps.ts";
import { Effects } from "./effects.ts";
import type { End } from "./end.ts";
import type { FleetEvent } from "./events.ts";
import { Rememberer } from "./lessons.ts";
import { LATE } from "./lifecycle/late.ts";
import { Observer } from "./observe.ts";
import { type FleetOptions, type FleetRequest, type Rules, rulesOf } from "./options.ts";
import { paceOf } from "./pace.ts";
import { recordsOfMachine, rowOf } from "./recording/records.ts";
import { reduce } from "./reduce.ts";
import { isOfferGone } from "./renting/failures.ts";
import { machineFacts } from "./stage.ts";
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
  using ledger = new LedgerKeeper(deps, fleet);
  const apply = (event: FleetEvent) => {
    watcher.happened?.(event, fleet, rules);
    reduce(fleet, event);
  };
  await using inbox = new Inbox(deps, request, apply);
  const { effects } = inbox;
  const observer = new Observer(deps, request, (machineNo, text) => effects.hide(machineNo, text), fleet.instancesAt);
  const rememberer = new Rememberer(deps.history, request);
  const paceNow = () => {
    return paceOf(fleet, rules, clock.now(), {
      requestsLeft: deps.requestsLeft(),
      requestsCounted: deps.requestsCounted(),
      runnersAskedAlone: deps.runners.askedAlone,
      usualJobMs: (name) => deps.history.usualJobMs(name),
    });
  };
  let pace = paceNow();
  for (;;) {
    await observer.look(fleet, pace, apply);
    inbox.empty();
    const at = clock.now();
    const decision = decide(fleet, rules, at);
    apply({ kind: "Decided", at, decision });
    ledger.look();
    rememberer.look(fleet);
    watcher.looked?.(fleet, decision, at);
    if (decision.end !== undefined) return decision.end;
    for (const command of decision.commands) effects.start(command, fleet);
    pace = paceNow();
    await inbox.nap(Math.max(0, Math.min(observer.nextAt(pace) - clock.now(), LATE.lookAgain)));
  }
}

/** Keeps the events of effects until the loop has looked. */
class Inbox implements AsyncDisposable {
  readonly effects: Effects;
  readonly #apply: (event: FleetEvent) => void;
  readonly #deps: FleetDeps;
  readonly #events: FleetEvent[] = [];
  #wake: (() => void) | undefined;

  constructor(deps: FleetDeps, request: FleetRequest, apply: (event: FleetEvent) => void) {
    this.#apply = apply;
    this.#deps = deps;
    this.effects = new Effects(deps, request, {
      event: (event) => {
        this.#events.push(event);
        this.#wake?.();
      },
      failed: () => this.#wake?.(),
    });
  }

  /** Writes the events of effects into the state. Throws a fault that must end the loop. */
  empty(): void {
    for (const event of this.#events.splice(0)) this.#apply(event);
    this.effects.throwIfFailed();
  }

  /** Sleeps for this long, or until an effect ends. */
  async nap(milliseconds: number): Promise<void> {
    const { clock, signal } = this.#deps;
    if (this.#events.length > 0 || this.effects.hasFailed) return;
    const awake = new AbortController();
    this.#wake = () => awake.abort();
    await clock.sleep(milliseconds, AbortSignal.any([signal, awake.signal])).catch((error: unknown) => {
      if (!awake.signal.aborted) throw error;
    });
    this.#wake = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.effects[Symbol.asyncDispose]();
    for (const event of this.#events.splice(0)) this.#apply(event);
  }
}

/** Writes a machine's record to the ledger when it changed, and once that none was made, so that post can read it whatever happens to main. */
class LedgerKeeper implements Disposable {
  readonly #ledger: FleetDeps["ledger"];
  readonly #fleet: Fleet;
  readonly #written = new Map<number, MachineRecord | "none">();

  constructor({ ledger }: FleetDeps, fleet: Fleet) {
    this.#ledger = ledger;
    this.#fleet = fleet;
  }

  /** Also writes what the last effects came to. */
  [Symbol.dispose](): void {
    this.look();
  }

  look(): void {
    for (const machine of this.#fleet.machines) {
      const { answer } = machine;
      // The service refused the create, and somebody else has the offer or a list confirms that.
      const isSure = answer?.kind === "refused" && (isOfferGone(answer) || answer.isMissed === true);
      if (isSure && !machineFacts(machine).isMade) this.#write(machine.machineNo, "none");
      for (const [index, record] of recordsOfMachine(machine).entries()) this.#write(rowOf(machine, index), record);
    }
  }

  #write(row: number, entry: MachineRecord | "none"): void {
    if (isDeepStrictEqual(this.#written.get(row), entry)) return;
    if (entry === "none") this.#ledger.created(row, entry);
    else this.#ledger.report(row, entry);
    this.#written.set(row, entry);
  }
}
