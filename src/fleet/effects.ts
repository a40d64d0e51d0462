import { setupFailure } from "../github/job-log.ts";
import { FigureReader } from "../gpu-figures/fetch.ts";
import type { KnownOfJob } from "../gpu-figures/read.ts";
import { type RentOutcome, rent } from "../machine/create.ts";
import { connectError, exitMessage, readExitMessage, secretHider, showLastLines } from "../machine/log.ts";
import { refusalOf } from "../marketplace/errors.ts";
import { NoOfferError } from "../offers/errors.ts";
import { knowledgeOf } from "../offers/expectation.ts";
import type { Candidate } from "../offers/ranking.ts";
import { searchForOffers } from "../offers/search.ts";
import {
  type Course,
  courseOf,
  DESTROY_WITHIN_MS,
  destroyOnce,
  howGone,
  notDestroyed,
  tellOnce,
} from "../release/destroy.ts";
import type { Log } from "../shared/log.ts";
import { faultOf, UserError } from "../shared/user-error.ts";
import type { Command } from "./decide.ts";
import type { FleetDeps } from "./deps.ts";
import type { FleetEvent, Learned } from "./events.ts";
import type { FleetRequest } from "./options.ts";
import type { CreateOrder } from "./renting/next-create.ts";
import { type Machine, machineFacts, machineOf } from "./stage.ts";
import type { CreateOutcome, Fleet, NoOffers } from "./state.ts";

type CommandOf<Kind extends Command["kind"]> = Extract<Command, { kind: Kind }>;

/** Carries commands out while the loop goes on. Each is answered with an event, which is kept until the loop has looked. */
export class Effects implements AsyncDisposable {
  readonly #deps: FleetDeps;
  readonly #request: FleetRequest;
  readonly #apply: (event: FleetEvent) => void;
  readonly #figures: FigureReader;
  readonly #underWay = new Set<Promise<void>>();
  readonly #end = new AbortController();
  /** Functions that take a machine's secrets out of a text, by the machine's number. */
  readonly #hiders = new Map<number, (text: string) => string>();
  /** How far the destruction of each instance is. */
  readonly #courses = new Map<number, Course>();
  readonly #events: FleetEvent[] = [];
  #fault: { error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(deps: FleetDeps, request: FleetRequest, apply: (event: FleetEvent) => void) {
    this.#deps = { ...deps, signal: AbortSignal.any([deps.signal, this.#end.signal]) };
    this.#figures = new FigureReader(this.#deps);
    this.#request = request;
    this.#apply = apply;
  }

  /** Takes a machine's secrets out of a text. */
  hide(machineNo: number, text: string): string {
    return (this.#hiders.get(machineNo) ?? secretHider({}))(text);
  }

  /** Applies the events that are kept. Throws the first fault that must end the loop. */
  empty(): void {
    for (const event of this.#events.splice(0)) this.#apply(event);
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  /** Sleeps for this long, or until an effect ends. */
  async nap(milliseconds: number): Promise<void> {
    const { clock, signal } = this.#deps;
    if (this.#events.length > 0 || this.#fault !== undefined) return;
    const awake = new AbortController();
    this.#wake = () => awake.abort();
    await clock.sleep(milliseconds, AbortSignal.any([signal, awake.signal])).catch((error: unknown) => {
      if (!awake.signal.aborted) throw error;
    });
    this.#wake = undefined;
  }

  start(command: Command, fleet: Fleet): void {
    const running = this.#carryOut(command, fleet)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
  }

  /** Stops every effect and waits for its end: a create must still write down what came of it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error("The loop is over."));
    await Promise.all(this.#underWay);
    for (const event of this.#events.splice(0)) this.#apply(event);
  }

  async #carryOut(command: Command, fleet: Fleet): Promise<void> {
    const askedAt = this.#deps.clock.now();
    const report = (answer: Learned) => {
      this.#events.push({ ...answer, askedAt, at: this.#deps.clock.now() });
      this.#wake?.();
    };
    report(await this.#answer(command, fleet, report));
  }

  #answer(command: Command, fleet: Fleet, report: (early: Learned) => void): Promise<Learned> {
    switch (command.kind) {
      case "search":
        return this.#search(command);
      case "create":
        return this.#create(command.order, report);
      case "drain":
        return this.#drain(command);
      case "destroy":
        return this.#destroy(command, fleet, report);
      case "read-machine-log":
        return this.#readMachineLog(command);
      case "read-job-log":
        return this.#readJobLog(command, fleet);
      case "look-up-image":
        return this.#deps.lookUpImage(this.#deps.signal).then((missing) => ({ kind: "ImageLookedUp", missing }));
    }
  }

  /** Searches for offers. That none fits is an answer, and so is a fault of the service. */
  async #search(command: CommandOf<"search">): Promise<Learned> {
    const { budget, finishedMs, isBid, known, leastCuda = 0, paused, times } = command;
    const { clock, history, log } = this.#deps;
    const { offer } = this.#request;
    await history.ready;
    const knowledge = knowledgeOf(this.#request, finishedMs, history, clock.now());
    const minCuda = Math.max(offer.minCuda, leastCuda);
    const requirements = { ...offer, minCuda, knowledge, bid: isBid ? offer.bid : undefined, budget };
    // The first of several searches in a row logs every offer, and the later ones nothing.
    const quiet: Log = { info() {}, warning: (line) => log.warning(line), stage: (_title, work) => work() };
    try {
      const deps = { ...this.#deps, log: times === 0 ? log : quiet };
      const candidates = await searchForOffers(deps, requirements, paused, known === undefined);
      const nothing = candidates.length === 0 ? known : undefined;
      return { kind: "OffersFound", isBid, candidates: candidates.map(ownFields), nothing };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { kind: "OffersFound", isBid, candidates: [], nothing: nothingOf(error) };
    }
  }

  async #create(order: CreateOrder, report: (early: Learned) => void): Promise<Learned> {
    const { candidate, machineNo } = order;
    const outcome = await rent(this.#deps, this.#request, {
      ...order,
      ...candidate,
      onRegistered: (runners, hide) => {
        this.#hiders.set(machineNo, hide);
        report({ kind: "RunnersRegistered", machineNo, runners: runners.map(({ id, name }) => ({ id, name })) });
      },
    });
    const answer = {
      kind: "CreateAnswered",
      machineNo,
      outcome: createOutcome(outcome),
      jitter: Math.random(),
    } as const;
    if (outcome.kind !== "created") return answer;
    return { ...answer, instanceId: outcome.instanceId, sentAt: outcome.report.at.asked };
  }

  async #drain({ machineNo, runnerIds }: CommandOf<"drain">): Promise<Learned> {
    const { log, runners, signal } = this.#deps;
    const removed: number[] = [];
    for (const id of runnerIds) {
      const answer = await runners.remove(id, signal);
      if (answer === "busy") log.info(`machine ${machineNo}: kept, as GitHub says that a job runs on it.`);
      if (answer !== "removed") return { kind: "RunnerRemoved", machineNo, removed, kept: { id, answer } };
      removed.push(id);
    }
    return { kind: "RunnerRemoved", machineNo, removed };
  }

  /** Asks once to destroy an instance, and looks whether it is gone. If it failed, shows its last lines before that. */
  async #destroy(
    { id, machineNo, showLogs }: CommandOf<"destroy">,
    fleet: Fleet,
    report: (early: Learned) => void,
  ): Promise<Learned> {
    const { clock, log } = this.#deps;
    const machine = machineOf(fleet, machineNo);
    const { foundAt, verdict } = machine?.instances.find((each) => each.id === id) ?? {};
    const before = this.#courses.get(id);
    const course = before ?? courseOf({ id, createdAt: foundAt }, clock.now());
    course.wasListed ||= verdict !== undefined;
    this.#courses.set(id, course);
    if (showLogs && before === undefined && machine !== undefined && machineFacts(machine).instance?.id === id) {
      const said = await showLastLines(this.#deps, this.#logOf(machineNo, id));
      report({ kind: "LogsFetched", machineNo, id, words: exitMessage(said), connectError: connectError(said) });
    }
    if (await destroyOnce(this.#deps, course)) {
      const how = howGone(course);
      // Nobody knows who ended an instance that was lost or had failed.
      const byItself = machine?.ending?.kind === "over" ? "had given itself back" : "was gone already";
      log.info(`machine ${machineNo}: gone. Instance ${id} ${how === "destroyed" ? "is destroyed" : byItself}.`);
      return { kind: "DestroyAnswered", machineNo, id, how };
    }
    if (clock.now() - course.since < DESTROY_WITHIN_MS.main) return { kind: "DestroyAnswered", machineNo, id };
    const error = notDestroyed(course);
    tellOnce(log, course, `machine ${machineNo}: ${error.message}`, "warning");
    return { kind: "DestroyAnswered", machineNo, id, fault: faultOf(error) };
  }

  /** Reads the GPU figures, and why a `setup` failed, out of a job's log. The rest of the text goes no further. */
  async #readJobLog({ jobId: id, machineNo }: CommandOf<"read-job-log">, fleet: Fleet): Promise<Learned> {
    const machine = machineOf(fleet, machineNo);
    const { figures, log } = machine ? await this.#figures.read(id, knownOfJob(machine, id)) : {};
    return { kind: "FiguresRead", machineNo, id, figures, setup: log && setupFailure(this.hide(machineNo, log)) };
  }

  /** Reads in a machine's log whether it says why it gives itself back. */
  async #readMachineLog({ id, machineNo }: CommandOf<"read-machine-log">): Promise<Learned> {
    return { kind: "LogsFetched", machineNo, id, ...(await readExitMessage(this.#deps, this.#logOf(machineNo, id))) };
  }

  #logOf(machineNo: number, instanceId: number) {
    return { instanceId, hideSecrets: (text: string) => this.hide(machineNo, text) };
  }

  /** Keeps the first fault, which ends the loop. A later one is only logged. */
  #fail(error: unknown): void {
    const { log, signal } = this.#deps;
    const isEnding = this.#end.signal.aborted || this.#fault !== undefined;
    if (!isEnding) this.#fault = { error };
    else if (error !== signal.reason)
      log.warning(`While this step ended, something else failed: ${error}. What is rented is given back all the same.`);
    this.#wake?.();
  }
}

/** Keeps only those fields of an offer that we read. */
function ownFields(candidate: Candidate): Candidate {
  const { expected, offer, price, urgentCost } = candidate;
  return { offer: { ...offer, fields: {} }, price, expected, urgentCost };
}

function nothingOf(error: UserError): NoOffers {
  const { againAt: quotaUntil, ownWord } = refusalOf(error) ?? {};
  // A gateway's page is passing, whatever its status.
  if (!(error instanceof NoOfferError))
    return { kind: "fault", fault: { ...faultOf(error), isPassing: error.isPassing || ownWord === false }, quotaUntil };
  return { kind: "none-fits", explanation: error.explanation, requirements: error.requirements };
}

function createOutcome(outcome: RentOutcome): CreateOutcome {
  if (outcome.kind !== "created") return outcome;
  return outcome.unwanted === undefined ? { kind: "created" } : { kind: "unwanted", sentence: outcome.unwanted };
}

function knownOfJob({ instances, slots }: Machine, jobId: number): KnownOfJob {
  const { completedAt, startedAt } = slots.find(({ job }) => job?.id === jobId)?.job ?? {};
  const isTimed = startedAt !== undefined && completedAt !== undefined;
  return {
    instanceIds: instances.map(({ id }) => id),
    seconds: isTimed ? (completedAt - startedAt) / 1000 : undefined,
    setupSeconds: slots.map(({ log }) => log?.figures?.setupSeconds).find((known) => known !== undefined),
  };
}
