import { destruction, type InstanceRecord } from "../../../simulator/service/rentals/instance-record.ts";
import { phaseAt } from "../../../simulator/service/rentals/lifecycle.ts";
import type { RunRecord } from "../../stories/referee/record.ts";
import { noteIn } from "../../support/main-notes.ts";
import type { Death, Entry, MachineDeath, PlannedRun } from "../planned-run.ts";
import { blackout, strike, victimOf } from "./machine-deaths.ts";
import { type ChaosWorld, lookAlikeOf, openWorld } from "./open-world.ts";
import type { ProcessList } from "./process-list.ts";
import { recordOf, type Seen } from "./record-of.ts";
import { Rivals } from "./rivals.ts";
import { heldUp, runEntry, type Stage } from "./run-entry.ts";
import { type Struck, Watch } from "./watch.ts";
import { secretsOf, worldBreaches } from "./world-breaches.ts";

/** A run that was played. */
export interface PlayedRun {
  plan: PlannedRun;
  record: RunRecord;
  stages: readonly Stage[];
  deaths: readonly Struck[];
  /** Everything that happened, one line each. */
  transcript: string[];
}

/** How a run is played. */
interface Playing {
  /** How much faster than the wall clock. */
  factor: number;
  processes: ProcessList;
}

/** An uncertain create may come true so late after its sender's death, in simulated seconds. */
const SETTLE_SECONDS = 30;
/** A machine looks at its time every 15 s, and asks again while the service refuses. */
const GRACE_SECONDS = 60;

/** Plays a planned run to its end, and says what came of it. Leaves no process and no file. */
export async function playRun(plan: PlannedRun, { factor, processes }: Playing): Promise<PlayedRun> {
  const transcript: string[] = [];
  const world = await openWorld(plan, factor, transcript);
  await using _session = world.session;
  using _sweep = world.sweep;
  const seen = new Set<string>();
  const unwatch = processes.watch(
    () => secretsOf(world.session.sim),
    (breach) => seen.add(breach),
  );
  try {
    const { bystanders, session, sweep } = world;
    const happened = await new Play(plan, world).toItsEnd();
    const results = [...session.step.results, ...sweep.results];
    const breaches = [...seen, ...worldBreaches(session.sim, { results, bystanders })];
    const { deaths, stages } = happened;
    return {
      plan,
      stages,
      deaths,
      transcript,
      record: recordOf({ plan, ...world, ...happened, breaches, transcript }),
    };
  } finally {
    unwatch();
  }
}

class Play {
  readonly #plan: PlannedRun;
  readonly #world: ChaosWorld;
  /** Machines that can't end themselves any more. */
  readonly #dead = new Set<number>();
  readonly #watch: Watch;
  readonly #black: number[] = [];
  readonly #deaths: Struck[] = [];
  #isOver = false;
  #isUndisturbed = false;
  #rivalFaults: Rivals["faults"] = [];

  constructor(plan: PlannedRun, world: ChaosWorld) {
    this.#plan = plan;
    this.#world = world;
    this.#watch = new Watch(plan, world.session, world.begun);
  }

  async toItsEnd(): Promise<Pick<Seen, "deaths" | "overdue" | "stages" | "watch">> {
    const { session } = this.#world;
    const striking = Promise.all(this.#plan.machineDeaths.map((death) => this.#strikeInTime(death)));
    using rivals = new Rivals(this.#plan, this.#world);
    using watch = this.#watch;
    try {
      this.#rivalFaults = rivals.faults;
      const main = await this.#run("main", () => session.step.startMain(), this.#plan.mainDeath);
      const prefix = noteIn(session.step.state, "prefix");
      if (prefix !== undefined) this.#world.addBystander(lookAlikeOf(prefix));
      const post = await this.#post();
      const isClean = post !== undefined && post.exitCode !== null && post.alive.length === 0;
      if (!isClean) await this.#settle();
      const overdue = isClean || this.#plan.without === "sweep" ? [] : await this.#waitForExpiry();
      this.#isOver = true;
      await striking;
      const sweeps = isClean && this.#plan.index % 8 > 0 ? [] : await this.#sweep();
      const stages = [main, ...(post ? [post] : []), ...sweeps];
      return { deaths: this.#deaths, overdue, stages, watch };
    } finally {
      this.#isOver = true;
    }
  }

  /** Until every create has come true, and lists show what came of it: a sweep can't see it before. */
  async #settle(): Promise<void> {
    const { clock } = this.#world.session.sim;
    await clock.sleep(SETTLE_SECONDS * 1000);
    const shownAt = Math.max(...this.#alive().map(({ visibleAt }) => visibleAt));
    if (shownAt > clock.now()) await clock.sleep(shownAt - clock.now());
  }

  async #post(): Promise<Stage | undefined> {
    const { post } = this.#plan;
    if (post === "never") return undefined;
    const { session } = this.#world;
    return await this.#run("post", () => session.step.startPost(), post === "runs" ? undefined : post);
  }

  async #run(entry: Entry, start: Parameters<typeof runEntry>[2]["start"], death?: Death): Promise<Stage> {
    const { session, say } = this.#world;
    this.#setFaults(entry, death);
    say(`${entry} starts`);
    const stage = await runEntry(session, entry, { start, death, alive: () => this.#alive().map(({ id }) => id) });
    say(`${entry} ended with ${stage.exitCode ?? stage.killed?.how}; alive: ${stage.alive.join(", ") || "none"}`);
    return stage;
  }

  #setFaults(entry: Entry, death?: Death): void {
    const { sim } = this.#world.session;
    const { service, github } = this.#isUndisturbed ? { service: [], github: [] } : this.#plan.faults[entry];
    const held = heldUp(death);
    const rivals = entry === "main" ? this.#rivalFaults : [];
    const black = this.#black.flatMap(blackout);
    sim.service.setFaults([...held.service, ...rivals, ...black, ...this.#plan.machineFaults, ...service]);
    sim.github.setFaults([...held.github, ...github]);
  }

  /** Ours that exist, oldest first. */
  #alive(): InstanceRecord[] {
    return this.#ours().filter((record) => !destruction(record));
  }

  #ours(): InstanceRecord[] {
    const { session, bystanders } = this.#world;
    return session.instances().filter((record) => !bystanders.includes(record));
  }

  async #strikeInTime(death: MachineDeath): Promise<void> {
    const { session } = this.#world;
    let due: number | undefined;
    while (!this.#isOver) {
      const record = victimOf(death, session, this.#ours());
      if (record) due ??= session.sim.clock.now() + death.seconds * 1000;
      const later = due === undefined || session.sim.clock.now() < due ? undefined : this.#stillThere(death);
      if (later) return this.#strike(death, later);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Whatever its state is by now. */
  #stillThere(death: MachineDeath): InstanceRecord | undefined {
    return victimOf({ ...death, once: "created" }, this.#world.session, this.#ours());
  }

  #strike(death: MachineDeath, record: InstanceRecord): void {
    const { session, say } = this.#world;
    const { how } = death;
    const { id } = record;
    say(`machine ${id} is ${how}`);
    this.#deaths.push({ at: session.sim.clock.now() - this.#world.begun, how, id });
    if (how === "frozen" || how === "black") this.#dead.add(id);
    if (how === "black") this.#goBlack(id);
    strike(death, session, record);
  }

  /** Ends the present entry's faults: the machine's network is what this run is about. */
  #goBlack(id: number): void {
    this.#black.push(id);
    this.#world.session.sim.service.setFaults([...this.#black.flatMap(blackout), ...this.#plan.machineFaults]);
  }

  /** Until nothing is there that could end itself, or its time is over. */
  async #waitForExpiry(): Promise<Seen["overdue"]> {
    const { clock } = this.#world.session.sim;
    const able = () => this.#alive().filter((record) => this.#canEndItself(record));
    for (;;) {
      const overdue = able().filter((record) => clock.now() > (expiryOf(record) + GRACE_SECONDS) * 1000);
      if (overdue.length > 0 || able().length === 0) return overdue.map(({ id }) => ({ at: clock.now(), id }));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #canEndItself(record: InstanceRecord): boolean {
    if (this.#dead.has(record.id) || record.machine.onstart === "skip") return false;
    if (record.containerApiKey !== record.apiKey) return false;
    const now = this.#world.session.sim.clock.now();
    const phase = phaseAt(record, now);
    // It is on its way up, or up.
    return (
      phase !== undefined && (phase.containerUp || (Number.isFinite(phase.to) && phase.intended_status === "running"))
    );
  }

  /**
   * The run is over for GitHub, and somebody sweeps; a second time, undisturbed, where the first
   * one could not do it all.
   */
  async #sweep(): Promise<Stage[]> {
    const { sweep, session } = this.#world;
    session.run.forceCancel();
    const first = await this.#run("sweep", () => sweep.startMain());
    if (first.exitCode === 0 && first.alive.length === 0) return [first];
    this.#isUndisturbed = true;
    return [first, await this.#run("sweep", () => sweep.startMain())];
  }
}

/** The last part of a label: Unix seconds. */
function expiryOf({ label }: InstanceRecord): number {
  return Number(label?.split(".").at(-1));
}
