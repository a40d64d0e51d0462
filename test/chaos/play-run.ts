import type { RunningStage } from "../../simulator/actions/stage.ts";
import { findTagged } from "../../simulator/machine/tagged-processes.ts";
import { destruction, type InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import { phaseAt } from "../../simulator/service/rentals/lifecycle.ts";
import { noteIn } from "../support/main-notes.ts";
import { type SimulatedSession, until } from "../support/simulated-session.ts";
import { worldBreaches } from "./breaches.ts";
import { type ChaosWorld, isRunnerOf, lookAlikeOf, openWorld } from "./open-world.ts";
import { recordOf, type Seen, type Struck } from "./record-of.ts";
import { runEntry, type Stage } from "./run-entry.ts";
import { type Death, type Entry, isOfService, type MachineDeath, type PlannedRun, type Played } from "./simulated.ts";

/** A run that was played. */
export type PlayedRun = Awaited<ReturnType<typeof playRun>>;

/** An uncertain create may come true so late after its sender's death, in simulated seconds. */
const SETTLE_SECONDS = 30;
/** A machine looks at its time every 15 s, and asks again while the service refuses. */
const GRACE_SECONDS = 60;

/** What the service says of a machine then; and after how many seconds it runs again. */
type Strike = [becomes?: Parameters<SimulatedSession["sim"]["service"]["update"]>[1], backAfter?: number];

const STRIKES: Record<MachineDeath["how"], Strike> = {
  frozen: [],
  outbid: ["outbid"],
  removed: ["destroyed"],
  exited: [{ actual_status: "exited" }],
  offline: [{ actual_status: "offline" }],
  rebooted: [{ actual_status: "loading" }, 4],
  "back-online": [{ actual_status: "offline" }, 40],
};

const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Plays a planned run to its end, `factor` times as fast as real time. Leaves no process and no file. */
export async function playRun(plan: PlannedRun, factor: number) {
  const world = await openWorld(plan, factor);
  const { bystanders, session, sweep, transcript } = world;
  await using _session = session;
  using _sweep = sweep;
  const happened = await new Play(plan, world).toItsEnd();
  const results = [...session.step.results, ...sweep.results];
  const breaches = worldBreaches(session.sim, { results, bystanders });
  return { ...happened, transcript, record: recordOf({ plan, ...world, ...happened, breaches }) };
}

class Play {
  readonly #plan: PlannedRun;
  readonly #world: ChaosWorld;
  readonly #session: SimulatedSession;
  /** Machines that can't end themselves any more. */
  readonly #dead = new Set<number>();
  readonly #deaths: Struck[] = [];
  #isOver = false;

  constructor(plan: PlannedRun, world: ChaosWorld) {
    this.#plan = plan;
    this.#world = world;
    this.#session = world.session;
  }

  async toItsEnd(): Promise<Pick<Seen, "deaths" | "overdue" | "stages">> {
    const { hasPost, index, machineDeaths, mainDeath, postDeath, without } = this.#plan;
    const { step } = this.#session;
    const striking = Promise.all(machineDeaths.map((death) => this.#strikeInTime(death)));
    try {
      const main = await this.#run("main", () => step.startMain(), { death: mainDeath });
      const prefix = noteIn(step.state, "prefix");
      if (prefix !== undefined) this.#world.addBystander(lookAlikeOf(prefix));
      const post = hasPost ? await this.#run("post", () => step.startPost(), { death: postDeath }) : undefined;
      const isClean = post !== undefined && post.exitCode !== null && post.alive.length === 0;
      if (!isClean) await this.#settle();
      const overdue = isClean || without === "sweep" ? [] : await this.#waitForExpiry();
      this.#isOver = true;
      await striking;
      const sweeps = isClean && index % 8 > 0 ? [] : await this.#sweep();
      const stages = [main, ...(post ? [post] : []), ...sweeps];
      return { deaths: this.#deaths, overdue, stages };
    } finally {
      this.#isOver = true;
    }
  }

  /** Until every create has come true, and lists show what came of it: a sweep can't see it before. */
  async #settle(): Promise<void> {
    const { clock } = this.#session.sim;
    await clock.sleep(SETTLE_SECONDS * 1000);
    const shownAt = Math.max(...this.#alive().map(({ visibleAt }) => visibleAt));
    if (shownAt > clock.now()) await clock.sleep(shownAt - clock.now());
  }

  async #run(
    entry: Entry,
    start: () => RunningStage,
    { death, faults = this.#plan.faults[entry] }: { death?: Death | undefined; faults?: readonly Played[] } = {},
  ): Promise<Stage> {
    const { say } = this.#world;
    const { github, service } = this.#session.sim;
    service.setFaults([...this.#plan.machineFaults, ...faults].filter(isOfService));
    github.setFaults(faults.filter((fault) => !isOfService(fault)));
    say(`${entry} starts`);
    const alive = () => this.#alive().map(({ id }) => id);
    const isDeaf = entry === "main" && this.#plan.deaf.length > 0;
    const stage = await runEntry(this.#session, entry, { start, death, isDeaf, alive });
    say(`${entry} ended with ${stage.exitCode ?? stage.killed}; alive: ${stage.alive.join(", ") || "none"}`);
    return stage;
  }

  /** Ours that exist, oldest first. */
  #alive(): InstanceRecord[] {
    return this.#ours().filter((record) => !destruction(record));
  }

  #ours(): InstanceRecord[] {
    return this.#session.instances().filter((record) => !this.#world.bystanders.includes(record));
  }

  async #strikeInTime(death: MachineDeath): Promise<void> {
    const { clock } = this.#session.sim;
    let due: number | undefined;
    while (!this.#isOver) {
      const record = this.#victimOf(death);
      if (record && this.#isReached(death.once, record)) due ??= clock.now() + death.seconds * 1000;
      // Whatever its state is by now.
      if (record && due !== undefined && clock.now() >= due) return this.#strike(death, record);
      await later(10);
    }
  }

  /** Of its offer the newest one. */
  #victimOf({ offer }: MachineDeath): InstanceRecord | undefined {
    return this.#alive().findLast((each) => each.offer.id === offer);
  }

  #isReached(once: MachineDeath["once"], record: InstanceRecord): boolean {
    const { run, sim } = this.#session;
    const isOf = (name = "") => isRunnerOf(name, record.label);
    if (once === "created") return true;
    if (once === "online") return sim.github.runners().some(({ name, online }) => online && isOf(name));
    const meant = once === "job" ? "in_progress" : "completed";
    return run.jobs().some(({ runnerName, status }) => status === meant && isOf(runnerName));
  }

  #strike({ how }: MachineDeath, { id }: InstanceRecord): void {
    const { clock, machines, service } = this.#session.sim;
    this.#world.say(`machine ${id} is ${how}`);
    this.#deaths.push({ at: clock.now() - this.#world.begun, how, id });
    const [becomes, backAfter] = STRIKES[how];
    if (becomes === undefined) this.#dead.add(id);
    if (how === "frozen") freeze(machines?.root(id));
    if (becomes !== undefined) service.update(id, becomes);
    if (backAfter === undefined) return;
    const isThere = () => this.#alive().some((record) => record.id === id);
    clock.after(backAfter * 1000, () => isThere() && service.update(id, { actual_status: "running" }));
  }

  /** Until nothing is there that could end itself, or its time is over. */
  async #waitForExpiry(): Promise<Seen["overdue"]> {
    const { clock } = this.#session.sim;
    const able = () => this.#alive().filter((record) => this.#canEndItself(record));
    // The last part of a label: Unix seconds.
    const expiryOf = ({ label }: InstanceRecord) => Number(label?.split(".").at(-1));
    const overdue = () => able().filter((record) => clock.now() > (expiryOf(record) + GRACE_SECONDS) * 1000);
    await until(() => overdue().length > 0 || able().length === 0, "the end of machines whose time is over");
    return overdue().map(({ id }) => ({ at: clock.now(), id }));
  }

  #canEndItself(record: InstanceRecord): boolean {
    if (this.#dead.has(record.id) || record.machine.onstart === "skip") return false;
    if (record.containerApiKey !== record.apiKey) return false;
    const phase = phaseAt(record, this.#session.sim.clock.now());
    // Or it is on its way up.
    const mayCome = Number.isFinite(phase?.to) && phase?.intended_status === "running";
    return phase !== undefined && (phase.containerUp || mayCome);
  }

  /** The run is over for GitHub, and somebody sweeps; again, undisturbed, where the first one could not do it all. */
  async #sweep(): Promise<Stage[]> {
    const sweep = () => this.#world.sweep.startMain();
    this.#session.run.forceCancel();
    const first = await this.#run("sweep", sweep);
    if (first.exitCode === 0 && first.alive.length === 0) return [first];
    return [first, await this.#run("sweep", sweep, { faults: [] })];
  }
}

/** Several rounds, as a process may start another before it stops. */
function freeze(root: string | undefined): void {
  for (let round = 0; round < 3; round += 1) {
    for (const pid of findTagged(`SIM_MACHINE=${root}/`)) {
      try {
        process.kill(pid, "SIGSTOP");
      } catch {
        // It ended by itself.
      }
    }
  }
}
