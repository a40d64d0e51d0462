import { asksForMore, type GpuJobs } from "../github/gpu-jobs.ts";
import { formatPrice } from "../money/price.ts";
import { counted } from "../shared/counted.ts";
import { formatDuration } from "../shared/duration.ts";
import type { FleetDeps } from "./observe/fleet-deps.ts";
import { isShort } from "./plan/pace.ts";
import type { Plan } from "./plan/plan.ts";
import type { Fleet } from "./state/fleet.ts";
import type { Machine } from "./state/machine.ts";
import type { FleetOptions } from "./state/policy.ts";
import { priceAbove } from "./state/rental.ts";
import { currentUse, isAlive, isLate, type Stage, stageOf } from "./state/stage.ts";

/** At most one line a minute tells of the jobs, and each change of a machine has one. */
const LINE_EVERY_MS = 60_000;

/** Says each thing once, when it changes. */
export class ProgressLog {
  readonly #deps: FleetDeps;
  readonly #policy: FleetOptions;
  readonly #machines = new Map<number, string>();
  readonly #told = new Set<string>();
  #jobs = "";
  #jobsAt = Number.NEGATIVE_INFINITY;

  constructor(deps: FleetDeps, policy: FleetOptions) {
    this.#deps = deps;
    this.#policy = policy;
  }

  tell(fleet: Readonly<Fleet>, decided: Plan, now: number): void {
    for (const machine of fleet.machines) this.#tellMachine(machine, decided, now);
    this.#tellJobs(fleet, now);
    this.#warn(fleet, decided);
  }

  #tellMachine(machine: Machine, { lacking, stop, waitsFor }: Plan, now: number): void {
    const line = lineOf(machine);
    if (line !== undefined && this.#machines.get(machine.n) !== line)
      this.#deps.log.info(`machine ${machine.n}: ${line}`);
    if (line !== undefined) this.#machines.set(machine.n, line);
    const dear = describeDear(machine);
    if (dear !== undefined) this.#once(`dear ${machine.n}`, () => this.#deps.log.warning(dear));
    if (!this.#policy.hedge || !isLate(machine, now) || !isAlive(machine)) return;
    const isStarted = lacking > 0 && stop === undefined && waitsFor === undefined;
    const next = isStarted ? ": starting another one" : "";
    this.#once(`late ${machine.n}`, () =>
      this.#deps.log.info(`machine ${machine.n}: late (${describeLate(machine, now)})${next}.`),
    );
  }

  #tellJobs({ jobs, machines, jobsFault }: Readonly<Fleet>, now: number): void {
    if (!this.#policy.hold) return;
    const line = jobsFault === undefined ? jobsLine(jobs, machines.some(isAlive), this.#policy) : "GPU jobs: unknown.";
    if (line === this.#jobs || now - this.#jobsAt < LINE_EVERY_MS) return;
    this.#jobs = line;
    this.#jobsAt = now;
    this.#deps.log.info(line);
  }

  #warn(fleet: Readonly<Fleet>, { lacking, stop, waitsFor }: Plan): void {
    const { log, requestsLeft } = this.#deps;
    this.#tellJobsOf(fleet);
    if (fleet.isOnDemand) this.#once("on demand", () => log.info(ON_DEMAND));
    if (fleet.heldBack > 0) this.#once("held back", () => log.warning(HELD_BACK));
    if (waitsFor === "repository") this.#once("repository", () => log.info(describeFull(fleet, this.#policy)));
    if (isShort(requestsLeft())) this.#once("requests", () => log.warning(FEW_REQUESTS));
    // With a new volume one machine is all that was ever to be rented: no news while it serves.
    if (stop !== undefined && (stop.kind !== "volume" || lacking > 0))
      this.#once(`stop ${stop.kind}`, () => log.warning(`No more machines are rented for now (${STOPS[stop.kind]}).`));
  }

  #tellJobsOf({ jobs }: Readonly<Fleet>): void {
    const { log } = this.#deps;
    const listed = jobs?.ours.length ?? 0;
    if (isMore(listed, this.#policy)) this.#once("more", () => log.warning(describeMore(listed, this.#policy)));
    for (const job of jobs?.ours ?? []) {
      if (asksForMore(job)) this.#once(`labels ${job.id}`, () => log.warning(describeLabels(job)));
      if (job.state === "held") this.#once(`held ${job.id}`, () => log.info(describeHeld(job.name)));
    }
  }

  #once(key: string, tell: () => void): void {
    if (!this.#told.has(key)) tell();
    this.#told.add(key);
  }
}

const STOPS = {
  "no-offer": "no offer fits",
  "max-cost": "max-cost is used up",
  refused: "the last request was refused",
  undestroyed: "a machine could not be destroyed",
  attempts: "too many machines failed",
  image: "the image can't be pulled",
  preparing: "machines give themselves back while they prepare",
  "ready-timeout": "ready-timeout is over",
  volume: "each would make another volume",
};

const HELD_BACK =
  "GPU jobs wait beside machines that are ready while another one runs: max-parallel or a concurrency group holds them back. Nothing is rented for them until one ends.";
const ON_DEMAND = "Bids were of no use. From now on machines are rented on demand (bid-fallback).";
const FEW_REQUESTS = "Fewer than 100 requests of job-token are left in this hour: the jobs are looked at more seldom.";

/** From the second attempt on `jobs` says nothing. */
function isMore(listed: number, { attempt, hold, jobs }: FleetOptions): boolean {
  return hold && attempt === 1 && jobs !== "auto" && listed > jobs;
}

function describeMore(listed: number, { jobs }: FleetOptions): string {
  return `jobs: ${jobs} is less than the ${listed} GPU jobs that are listed. All are served; allowed is their number, or auto.`;
}

function describeFull(
  { machines, repositoryAlive }: Readonly<Fleet>,
  { machinesPerRepository: most }: FleetOptions,
): string {
  const areOurs = repositoryAlive <= machines.filter(isAlive).length;
  const whom = areOurs ? ", all of this job; waiting for one of them" : "; waiting for another run";
  return `${most} of ${most} machines of this repository are alive (machines-per-repository)${whom}.`;
}

/** The wait for its runner began when it ran: the time that it was expected to boot in is over. */
function describeLate({ createdAt, runningAt, timing }: Machine, now: number): string {
  if (runningAt !== undefined) return `it runs for ${formatDuration(now - runningAt)}, and its runner is not online`;
  return `${formatDuration(now - (createdAt ?? now))}, expected ${formatDuration(timing.expectedMs)}`;
}

function describeHeld(name: string): string {
  return `'${name}' waits for an approval or its concurrency group: nothing is rented for it. Put the environment on a small job that both need.`;
}

/** The sentence for a job that no runner of ours can take. */
export function describeLabels({ name, otherLabels }: { name: string; otherLabels: readonly string[] }): string {
  return `'${name}' also asks for the labels ${otherLabels.join(", ")}, which no runner of this step has.`;
}

/** How far a machine is, in a line; undefined where other lines say it. */
function lineOf(machine: Machine): string | undefined {
  const { ending, instanceId } = machine;
  if (ending !== undefined) return `${ending.kind}: ${ending.why}.`;
  return instanceId === undefined ? undefined : LINES[stageOf(machine)](machine);
}

const LINES: Readonly<Record<Stage, (machine: Machine) => string | undefined>> = {
  asked: () => undefined,
  booting: ({ instanceId, verdict }) => verdict && `booting, instance ${instanceId} is ${verdict.status}.`,
  starting: (machine) => `starting, its runner is ${currentUse(machine)?.runner ?? "offline"}.`,
  ready: () => "ready, its runner is online.",
  busy: (machine) => {
    const job = currentUse(machine)?.job;
    return job === undefined ? "busy." : `busy with '${job.name}'.`;
  },
  over: () => undefined,
  gone: () => undefined,
};

/** The line for one that costs more than was agreed; undefined for any other. */
function describeDear(machine: Machine): string | undefined {
  const { total } = machine.candidate.price;
  const price = priceAbove(machine, total);
  return (
    price && `machine ${machine.n}: the service asks ${price} per hour for it; its offer said ${formatPrice(total)}.`
  );
}

function jobsLine(jobs: GpuJobs | undefined, isRented: boolean, { waitForJobMs }: FleetOptions): string {
  const count = (state: string) => jobs?.ours.filter((job) => job.state === state).length ?? 0;
  const seen = `GPU jobs: ${count("waiting")} waiting, ${count("running")} running, ${count("over")} over`;
  if ((jobs?.ours.length ?? 0) > 0 || isRented) return `${seen}.`;
  const others = `${counted(jobs?.others ?? 0, "other job")} in this run, ${jobs?.othersOpen.length ?? 0} of them open`;
  const waits = `Waiting up to ${formatDuration(waitForJobMs)}; nothing is rented.`;
  return `No job asks for the GPU runner yet (${others}). ${waitForJobMs === 0 ? "wait-for-job: 0s rents at once." : waits}`;
}
