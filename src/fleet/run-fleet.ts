import { type Acting, beginCreate, type Change, search } from "./acts.ts";
import { applyPlan } from "./apply.ts";
import { destroy, giveUp, retire } from "./give-back.ts";
import type { FleetDeps } from "./observe/fleet-deps.ts";
import { noteTime } from "./observe/note-github.ts";
import { Observer } from "./observe/observe.ts";
import { paceOf } from "./plan/pace.ts";
import { type Act, type Plan, plan } from "./plan/plan.ts";
import type { End } from "./plan/plan-end.ts";
import { Rememberer } from "./remember.ts";
import type { Fleet } from "./state/fleet.ts";
import type { FleetRequest } from "./state/fleet-request.ts";
import type { FleetOptions } from "./state/policy.ts";
import { ProgressLog } from "./tell.ts";

/** The longest pause between two looks at what is known, in milliseconds. */
const LONGEST_NAP_MS = 15_000;

/**
 * The loop: look, plan, act. Ends when the plan says so; what acts are under way then are ended,
 * and post destroys what is left.
 */
export async function runFleet(
  deps: FleetDeps,
  request: FleetRequest,
  policy: FleetOptions,
  fleet: Fleet,
  onReady: (fleet: Readonly<Fleet>) => void = () => {},
): Promise<End> {
  const observer = new Observer(deps, request, fleet.instancesAt);
  const teller = new ProgressLog(deps, policy);
  const rememberer = new Rememberer(deps.history, request);
  await using acts = new Acts(deps, request, policy, fleet);
  for (;;) {
    const pace = paceOf(fleet, policy, deps.clock.now(), deps.requestsLeft());
    for (const n of await observer.look(fleet, pace)) acts.writeDown(n);
    acts.settle();
    const now = deps.clock.now();
    noteTime(fleet, now);
    const decided = plan(fleet, policy, now);
    applyPlan(fleet, decided, policy, now);
    for (const { n } of decided.endings) acts.writeDown(n);
    teller.tell(fleet, decided, now);
    rememberer.look(fleet);
    onReady(fleet);
    if (decided.end !== undefined) return decided.end;
    for (const act of decided.acts) acts.start(act, decided);
    const next = observer.nextAt(paceOf(fleet, policy, now, deps.requestsLeft()));
    await acts.nap(Math.max(0, Math.min(next - deps.clock.now(), LONGEST_NAP_MS)));
  }
}

const GIVING_BACK = { destroy, "give-up": giveUp, retire } as const;

/** Acts beside the loop. What they change waits until the loop has looked. */
class Acts implements AsyncDisposable {
  readonly #acting: Acting;
  readonly #fleet: Fleet;
  readonly #changes: Change[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #end = new AbortController();
  #fault: { error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #isSearching = false;

  constructor(deps: FleetDeps, request: FleetRequest, policy: FleetOptions, fleet: Fleet) {
    const signal = AbortSignal.any([deps.signal, this.#end.signal]);
    this.#acting = { deps: { ...deps, signal }, request, policy, hiders: new Map() };
    this.#fleet = fleet;
  }

  /** Carries out what acts have come to. Throws what no act may survive. */
  settle(): void {
    for (const change of this.#changes.splice(0)) change(this.#fleet);
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  writeDown(n: number): void {
    const report = this.#fleet.machines.find((machine) => machine.n === n)?.report;
    const { ledger } = this.#acting.deps;
    if (report === undefined) return;
    // No answer told its id, which was seen in a list.
    if (this.#fleet.strays.some((stray) => stray.n === n)) ledger.created(n, report.instanceId);
    ledger.report(n, report);
  }

  start(act: Act, { lacking }: Plan): void {
    const emit = (change: Change) => this.#emit(change);
    if (act.do === "search") {
      if (!this.#isSearching) this.#run(() => this.#search());
    } else if (act.do === "create") {
      this.#run(beginCreate(this.#acting, this.#fleet, act.candidate, lacking, emit));
    } else {
      this.#giveBack(act);
    }
  }

  /** Sleeps so long, or until an act is over. */
  async nap(milliseconds: number): Promise<void> {
    const { clock, signal } = this.#acting.deps;
    if (this.#changes.length > 0 || this.#fault !== undefined) return;
    const awake = new AbortController();
    this.#wake = () => awake.abort();
    await clock.sleep(milliseconds, AbortSignal.any([signal, awake.signal])).catch((error: unknown) => {
      if (!awake.signal.aborted) throw error;
    });
    this.#wake = undefined;
  }

  /** Ends every act and waits for it: a create must write down what came of it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error("The loop is over."));
    await Promise.all(this.#underWay);
    for (const change of this.#changes.splice(0)) change(this.#fleet);
  }

  async #search(): Promise<Change> {
    this.#isSearching = true;
    try {
      return await search(this.#acting, this.#fleet);
    } finally {
      this.#isSearching = false;
    }
  }

  #giveBack({ do: how, n }: Extract<Act, { n: number }>): void {
    const machine = this.#fleet.machines.find((each) => each.n === n);
    if (machine === undefined) return;
    machine.act = how === "destroy" ? "destroying" : "giving-up";
    this.#run(() => GIVING_BACK[how](this.#acting, structuredClone(machine)));
  }

  #run(work: () => Promise<Change>): void {
    const running = work()
      .then((change) => this.#emit(change))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
  }

  #emit(change: Change): void {
    this.#changes.push(change);
    this.#wake?.();
  }

  /** The first fault ends the loop; a later one is told, unless it is that end itself. */
  #fail(error: unknown): void {
    const { log, signal } = this.#acting.deps;
    const isEnding = this.#end.signal.aborted || this.#fault !== undefined;
    if (!isEnding) this.#fault = { error };
    else if (error !== signal.reason)
      log.warning(`While this step ended, something else failed: ${error}. What is rented is given back all the same.`);
    this.#wake?.();
  }
}
