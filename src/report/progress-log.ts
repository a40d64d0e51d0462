import type { Decision } from "../fleet/decide.ts";
import type { FleetDeps } from "../fleet/deps.ts";
import { destroyAt } from "../fleet/lifecycle/going.ts";
import type { FleetOptions, FleetRequest, Rules } from "../fleet/options.ts";
import { isShort } from "../fleet/pace.ts";
import { priceAbove, priceNow } from "../fleet/price.ts";
import { recordsOf } from "../fleet/recording/records.ts";
import { neededCuda } from "../fleet/renting/alike.ts";
import { isOfferGone, isOnDemand } from "../fleet/renting/failures.ts";
import type { CreateOrder } from "../fleet/renting/next-create.ts";
import { standing } from "../fleet/renting/standing.ts";
import { STOPS } from "../fleet/renting/stop.ts";
import { isKeptForLook, type Machine, machineFacts, ownEnd, type Stage, useOf } from "../fleet/stage.ts";
import type { DeepReadonly, Fleet } from "../fleet/state.ts";
import { asksForMore, type GpuJobs } from "../github/jobs.ts";
import { secondsBetween } from "../gpu-figures/show.ts";
import { BEING_MADE } from "../machine/instance.ts";
import { describeEstimate } from "../money/cost.ts";
import { creditWarning, describeCut, shareWarning } from "../money/max-cost.ts";
import { describePrice, formatPrice } from "../money/price.ts";
import { describeExpectedCost } from "../offers/expectation.ts";
import { describeWithoutCode } from "../offers/ranking.ts";
import { describeOffer } from "../offers/search.ts";
import { formatDuration } from "../shared/duration.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { counted } from "../shared/text.ts";
import { describePull, pullMs } from "../timing/boot.ts";
import { describeExpectedBoot } from "../timing/limits.ts";
import { readyMachines, sshAddress } from "./outputs.ts";

/** The least time between two lines about the jobs. Each change of a machine has a line of its own. */
const LINE_EVERY_MS = 60_000;

type ProgressTools = Pick<FleetDeps, "log" | "requestsLeft">;

/** Logs what changed since the last look, each thing once. */
export class ProgressLog {
  readonly #deps: ProgressTools;
  readonly #request: FleetRequest;
  readonly #rules: Rules;
  readonly #lines = new Map<string, string>();
  #jobsAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ProgressTools, request: FleetRequest, rules: Rules) {
    this.#deps = deps;
    this.#request = request;
    this.#rules = rules;
  }

  look(fleet: Fleet, decision: Decision, now: number): void {
    this.#logMarket(fleet);
    for (const machine of fleet.machines) this.#logMachine(machine, decision, now);
    for (const machine of readyMachines(fleet)) this.#once(`ready ${machine.machineNo}`, describeReady(machine));
    for (const machine of fleet.machines) this.#logKept(machine);
    for (const command of decision.commands) if (command.kind === "create") this.#logOrder(fleet, command.order, now);
    this.#logPause(fleet, decision);
    this.#logJobs(fleet, now);
    this.#warn(fleet, decision);
  }

  #logMachine(machine: Machine, { lacking, stop, waitsFor }: Decision, now: number): void {
    const { log } = this.#deps;
    const { answer, instances, machineNo } = machine;
    const tell = (line: string) => log.info(`machine ${machineNo}: ${line}`);
    const warn = (line: string) => log.warning(line);
    for (const [index, { id }] of instances.entries())
      this.#changed(`instance ${id}`, found(machine, id, index), answer?.kind === "unwanted" ? warn : tell);
    if (answer !== undefined && instances.length === 0)
      this.#changed(`answer ${machineNo}`, notMadeLine(machine), tell);
    this.#changed(`machine ${machineNo}`, lineOf(machine), tell);
    this.#changed(`dear ${machineNo}`, describeDear(machine), warn);
    if (!this.#rules.hedge || !useOf(machine, this.#rules, now).isLate || !machineFacts(machine).isAlive) return;
    const isStarted = lacking > 0 && stop === undefined && waitsFor === undefined;
    const next = isStarted ? ": starting another one" : "";
    this.#once(`late ${machineNo}`, `machine ${machineNo}: late (${describeLate(machine, now)})${next}.`);
  }

  /** Says once of a machine kept by `keep-failed` how to log in, until when, and at what cost. */
  #logKept(machine: Machine): void {
    const job = machine.slots.find((slot) => slot.job?.conclusion === "failure")?.job;
    if (this.#rules.keepFailed === 0 || job === undefined || !machineFacts(machine).isAlive) return;
    const until = destroyAt(machine, this.#rules);
    if (!Number.isFinite(until)) return;
    const line = describeKept(machine, job.name, until, this.#request.instance.runtype);
    this.#once(`kept ${machine.machineNo}`, line, "warning");
  }

  #logOrder(fleet: Fleet, order: CreateOrder, now: number): void {
    const { log } = this.#deps;
    const { candidate, cutBy, estimate, machineNo, money, price, timing, uptimeMs } = order;
    const { expected, offer } = candidate;
    const cost = expected === undefined ? "" : ` ${describeExpectedCost(expected.cost)}.`;
    log.info(`machine ${machineNo}: asked for, from ${describeOffer(offer)} at ${describePrice(price)}.${cost}`);
    const { bytes } = this.#request.image;
    // Left out for a host that has the image or was quicker before: the pull would seem to take longer than the boot.
    const isPulled = bytes !== undefined && pullMs(bytes, offer) < timing.expectedMs;
    const pull = isPulled ? ` It takes ${describePull(bytes, offer)}.` : "";
    log.info(`machine ${machineNo}: ${describeExpectedBoot(timing.expectedMs, timing)}${pull}`);
    const [ofMachine, hosted] = describeEstimate(estimate, price);
    for (const line of ofMachine) log.info(`machine ${machineNo}: ${line}`);
    this.#once("hosted", hosted);
    if (cutBy === "max-cost" && money) {
      log.info(`machine ${machineNo}: ${describeCut(money.budget, money.share)}`);
      this.#once("short", shareWarning(money.share, uptimeMs - timing.expectedMs, this.#rules.rental.jobMs), "warning");
    }
    this.#once("codeless", describeWithoutCode(candidate), "warning");
    const warning = creditWarning(this.#request, recordsOf(fleet), estimate.most, now);
    if (warning) log.warning(warning);
  }

  /** Logs why no offer fits. The advice is added only if there is no machine at all. */
  #logMarket(fleet: Fleet): void {
    const { machines, market } = fleet;
    if (market?.nothing === undefined) return;
    const { nothing } = market;
    const { hint, sentence } = nothing.kind === "fault" ? { sentence: nothing.fault.message } : nothing.explanation;
    const why = hint === undefined || machines.length > 0 ? sentence : `${sentence} ${hint}`;
    const pause = formatDuration((standing(fleet, "search")?.until ?? market.searchedAt) - market.searchedAt);
    // It takes long until this step fails: who sees it now can change the inputs.
    const isNews = machines.length === 0 && nothing.kind === "none-fits" && !nothing.explanation.isHopeless;
    const line = `${why} Searching again in ${pause}, if a machine is still wanted.`;
    this.#once(`search ${market.searchedAt}`, line, isNews && market.times === 1 ? "warning" : "info");
  }

  #logPause(fleet: Fleet, { waitsFor }: Decision): void {
    const pause = waitsFor === "pause" ? standing(fleet, "create") : undefined;
    if (pause === undefined) return;
    const seconds = Math.round((pause.until - pause.at) / 1000);
    this.#once(`pause ${pause.at}`, `Asking for a machine again after ${seconds} s.`);
  }

  #logJobs({ jobs, machines, jobsFault }: Fleet, now: number): void {
    if (!this.#rules.hold || now - this.#jobsAt < LINE_EVERY_MS) return;
    const isRented = machines.some((machine) => machineFacts(machine).isAlive);
    const line = jobsFault === undefined ? jobsLine(jobs, isRented, this.#rules) : "GPU jobs: unknown.";
    this.#changed("jobs", line, () => {
      this.#jobsAt = now;
      this.#deps.log.info(line);
    });
  }

  #warn(fleet: Fleet, { stop, waitsFor }: Decision): void {
    this.#logJobsOf(fleet);
    if (isOnDemand(fleet, this.#rules)) this.#once("on demand", ON_DEMAND);
    if (fleet.beside !== undefined) this.#once("held back", HELD_BACK, "warning");
    const cuda = neededCuda(fleet)?.toFixed(1);
    this.#once(`cuda ${cuda}`, cuda && describeCuda(cuda), "warning");
    if (waitsFor === "repository") this.#once("repository", describeFull(fleet, this.#rules));
    if (waitsFor === "image") this.#once("image", AWAITS_IMAGE);
    if (isShort(this.#deps.requestsLeft())) this.#once("requests", FEW_REQUESTS_LINE, "warning");
    if (stop !== undefined && this.#goesOn(fleet))
      this.#once(`stop ${stop.id}`, `No more machines are rented for now (${STOPS[stop.id].inShort}).`, "warning");
  }

  /** True if this step goes on although renting stopped. Otherwise its error follows, which says why. */
  #goesOn({ machines }: Fleet): boolean {
    return machines.some((machine) => {
      const { isAlive, isBusy } = machineFacts(machine);
      return isBusy || (isAlive && (machine.ending === undefined || isKeptForLook(machine, this.#rules)));
    });
  }

  #logJobsOf({ jobs }: Fleet): void {
    const listed = jobs?.ours.length ?? 0;
    this.#once("more", describeMore(listed, this.#rules), "warning");
    for (const job of jobs?.ours ?? []) {
      if (asksForMore(job)) this.#once(`labels ${job.id}`, describeLabels(job), "warning");
      if (job.state === "held") this.#once(`held ${job.id}`, describeHeld(job.name));
    }
  }

  #changed(key: string, line: string | undefined, logIt: (line: string) => void): void {
    if (line === undefined || this.#lines.get(key) === line) return;
    this.#lines.set(key, line);
    logIt(line);
  }

  /** Logs a line unless one of this key was logged. */
  #once(key: string, line: string | undefined, how: "info" | "warning" = "info"): void {
    if (line === undefined || this.#lines.has(key)) return;
    this.#lines.set(key, line);
    this.#deps.log[how](line);
  }
}

const HELD_BACK =
  "A GPU job waits although a machine is ready, while another one runs: for max-parallel, a concurrency group, or a pause of GitHub's. No more is rented for it before a job begins or ends, but one machine from time to time, to see.";
const ON_DEMAND = "Bids brought no machine. From now on machines are rented on demand (bid-fallback).";
const AWAITS_IMAGE =
  "The registry did not have the image when this job began: nothing is rented before it was asked again.";
const FEW_REQUESTS_LINE =
  "Fewer than 100 requests of job-token are left in this hour: the jobs are checked less often.";

/** Makes the line for an instance whose id is known now. */
function found({ answer }: Machine, id: number, index: number): string | undefined {
  if (answer?.kind === "unwanted")
    return `Vast.ai refused, and still made instance ${id} (${answer.sentence}). Destroying it.`;
  const isCreated = answer?.kind === "created";
  if (isCreated && index === 0) return `booting as instance ${id}. It bills from now on, until it is destroyed.`;
  const from = isCreated ? "as a second instance of one create" : "late, from a create that gave no answer";
  return `instance ${id} turned up ${from}. It bills until it is destroyed.`;
}

/** Makes the line for a create that made nothing. */
function notMadeLine(machine: Machine): string | undefined {
  const { answer } = machine;
  switch (answer?.kind) {
    case "unregistered":
      return answer.fault.message;
    case "uncertain":
      return machineFacts(machine).isAlive
        ? undefined
        : "no list showed an instance with its label: the create counts as not carried out.";
    case "mistaken":
      return `Vast.ai answered with instance ${answer.instanceId}, which is another machine's.`;
    case "refused":
      if (isOfferGone(answer))
        return `its offer was taken by somebody else (${answer.refusal.sentence}). Trying the next one.`;
      if (answer.refusal.code === "too-fast") return "Vast.ai asked us to slow down.";
      return `Vast.ai refused to create it (${answer.refusal.sentence}).`;
    default:
      return undefined;
  }
}

/** Says that more jobs wait than the input `jobs` says; it says nothing about later attempts. */
function describeMore(listed: number, { attempt, hold, jobs }: FleetOptions): string | undefined {
  if (!hold || attempt !== 1 || jobs === "auto" || listed <= jobs) return undefined;
  return `jobs: ${jobs} is less than the ${listed} GPU jobs that are listed. All are served; jobs must be their number, or auto.`;
}

function describeCuda(cuda: string): string {
  return `Two hosts said that the image needs CUDA ${cuda}, so the search asks for it. Set \`min-cuda: ${cuda}\`: no machine is rented in vain then.`;
}

function describeFull({ machines, repositoryAlive }: Fleet, { machinesPerRepository: most }: FleetOptions): string {
  const areOurs = repositoryAlive <= machines.filter((machine) => machineFacts(machine).isAlive).length;
  const whom = areOurs ? ", all of this job; waiting for one of them" : "; waiting for another run";
  return `${most} of ${most} machines of this repository are alive (machines-per-repository)${whom}.`;
}

/** Describes how late a machine is: until it runs, by its boot; then, by its runner. */
function describeLate(machine: Machine, now: number): string {
  const { instance, runningAt: ran } = machineFacts(machine);
  if (ran !== undefined) return `it runs for ${formatDuration(now - ran)}, and its runner is not online`;
  const since = instance?.foundAt ?? now;
  return `${formatDuration(now - since)}, expected ${formatDuration(machine.timing.expectedMs)}`;
}

function describeHeld(name: string): string {
  return `'${name}' waits for an approval or its concurrency group: nothing is rented for it. Put the environment on a small job that both need.`;
}

/** Says which labels a job asks for in addition to our label. None of our runners can take it. */
export function describeLabels({ name, otherLabels }: { name: string; otherLabels: readonly string[] }): string {
  const labels = `${otherLabels.length === 1 ? "label" : "labels"} ${otherLabels.join(", ")}`;
  return `'${name}' also asks for the ${labels}, which no runner of this step has.`;
}

/** Says how far a machine is; undefined if other lines say it. */
function lineOf(machine: Machine): string | undefined {
  const { ending, instances } = machine;
  if (ending !== undefined) return `${ending.kind}: ${ending.why}.`;
  return instances.length === 0 ? undefined : STAGE_LINES[machineFacts(machine).stage]?.(machine);
}

const STAGE_LINES: Readonly<Partial<Record<Stage, (machine: Machine) => string | undefined>>> = {
  booting: (machine) => {
    const { id, verdict } = machineFacts(machine).instance ?? {};
    return verdict && verdict.status !== BEING_MADE ? `booting, instance ${id} is ${verdict.status}.` : undefined;
  },
  starting: (machine) => `starting, its runner is ${machineFacts(machine).slot?.runner ?? "offline"}.`,
  ready: () => "ready, its runner is online.",
  busy: (machine) => {
    const job = machineFacts(machine).slot?.job;
    return job === undefined ? "busy." : `busy with '${job.name}'.`;
  },
};

/** Makes the line for a machine that costs more than was agreed; undefined for any other. */
function describeDear(machine: Machine): string | undefined {
  const { total } = machine.candidate.price;
  const price = priceAbove(machine, total);
  const said = `its offer said ${formatPrice(total)}`;
  return price && `machine ${machine.machineNo}: the service asks ${price} per hour for it; ${said}.`;
}

function describeReady(machine: Machine): string {
  const { askedAt, candidate, machineNo, readyAt } = machine;
  const { gpuName, numGpus } = candidate.offer;
  const end = ownEnd(machine);
  const cut = end.by === "max-cost" ? ", because of max-cost" : "";
  return (
    `machine ${machineNo}: ready ${secondsBetween(askedAt, readyAt) ?? 0} s after it was asked for: instance ${machineFacts(machine).instance?.id}, ${numGpus} × ${gpuName}. ` +
    `It costs ${formatPrice(priceNow(machine))} per hour and gives itself back at ${new Date(end.to).toISOString()} at the latest${cut}.`
  );
}

function describeKept(machine: Machine, job: string, until: number, runtype: "ssh_proxy" | "ssh_direct"): string {
  const { address, id } = machineFacts(machine).instance ?? {};
  const { host, port } = sshAddress(address, runtype);
  const login =
    host === ""
      ? `The service shows no address of instance ${id}; its console does`
      : `ssh -p ${oneLine(port, 10)} root@${oneLine(host, 100)} (the account's SSH keys are on it)`;
  return (
    `Machine ${machine.machineNo} is kept, because '${oneLine(job, 100)}' failed on it: ${login}. ` +
    `It costs ${formatPrice(priceNow(machine) / 60)} a minute, until ${new Date(until).toISOString()} or until /opt/ghr/done exists on it.`
  );
}

function jobsLine(jobs: DeepReadonly<GpuJobs> | undefined, isRented: boolean, { waitForJob }: FleetOptions): string {
  const count = (state: string) => jobs?.ours.filter((job) => job.state === state).length ?? 0;
  const seen = `GPU jobs: ${count("waiting")} waiting, ${count("running")} running, ${count("over")} over`;
  if ((jobs?.ours.length ?? 0) > 0 || isRented) return `${seen}.`;
  const others = `${counted(jobs?.others ?? 0, "other job")} in this run, ${jobs?.othersOpen.length ?? 0} of them open`;
  const waits = `Waiting up to ${formatDuration(waitForJob)}; nothing is rented.`;
  return `No job asks for the GPU runner yet (${others}). ${waitForJob === 0 ? "wait-for-job: 0s rents at once." : waits}`;
}
