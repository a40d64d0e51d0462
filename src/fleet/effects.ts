import { destroyInstance } from "../create/destroy.ts";
import { InstanceNotDestroyedError } from "../create/errors.ts";
import { secretHider, showLastLines } from "../create/last-lines.ts";
import { connectError, partingWords, readPartingWords } from "../create/parting-words.ts";
import { type RentOutcome, rent } from "../create/rent.ts";
import { NoOfferError } from "../market/errors.ts";
import { knowledgeOf } from "../market/expectation.ts";
import { type Candidate, searchForOffers } from "../market/search.ts";
import { refusalOf } from "../marketplace/errors.ts";
import type { Log } from "../shared/log.ts";
import { faultOf, UserError } from "../shared/user-error.ts";
import type { Command } from "./decide/decide.ts";
import type { CreateOrder } from "./decide/rent.ts";
import type { FleetDeps } from "./deps.ts";
import type { FleetEvent } from "./events.ts";
import { FigureReader } from "./figure-reader.ts";
import type { FleetRequest } from "./options.ts";
import { mainInstance } from "./stage.ts";
import type { CreateOutcome, Fleet, NoOffers } from "./state.ts";

/** How long the loop waits to hear of a destruction. */
const DESTROY_WITHIN_MS = 90_000;

type Of<Kind extends Command["kind"]> = Extract<Command, { kind: Kind }>;

/** Hears what came of effects. */
interface Outlet {
  event(event: FleetEvent): void;
  failed(): void;
}

/** Carries commands out beside the loop, and answers each with an event. */
export class Effects implements AsyncDisposable {
  readonly #deps: FleetDeps;
  readonly #request: FleetRequest;
  readonly #outlet: Outlet;
  readonly #figures: FigureReader;
  readonly #underWay = new Set<Promise<void>>();
  readonly #end = new AbortController();
  /** Functions that take a machine's secrets out of a text, by the machine's number. */
  readonly #hiders = new Map<number, (text: string) => string>();
  #fault: { error: unknown } | undefined;

  constructor(deps: FleetDeps, request: FleetRequest, outlet: Outlet) {
    this.#deps = { ...deps, signal: AbortSignal.any([deps.signal, this.#end.signal]) };
    this.#figures = new FigureReader(this.#deps);
    this.#request = request;
    this.#outlet = outlet;
  }

  /** Takes a machine's secrets out of a text. */
  hide(machineNo: number, text: string): string {
    return (this.#hiders.get(machineNo) ?? secretHider({}))(text);
  }

  get hasFailed(): boolean {
    return this.#fault !== undefined;
  }

  /** Throws the first fault that must end the loop. */
  throwIfFailed(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
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
  }

  #carryOut(command: Command, fleet: Fleet): Promise<void> {
    switch (command.kind) {
      case "search":
        return this.#search(command);
      case "create":
        return this.#create(command.order);
      case "drain":
        return this.#drain(command);
      case "destroy":
        return this.#destroy(command, fleet);
      case "read-machine-log":
        return this.#readMachineLog(command);
      case "read-job-log":
        return this.#readJobLog(command, fleet);
      case "look-up-image":
        return this.#lookUpImage();
    }
  }

  /** Searches for offers. That none fits is an answer, and so is a fault of the service. */
  async #search({ budget, excluded, finishedMs, isBid, times }: Of<"search">): Promise<void> {
    const { clock, history } = this.#deps;
    const { offer } = this.#request;
    const askedAt = clock.now();
    const knowledge = knowledgeOf(this.#request, finishedMs, history, askedAt);
    const requirements = { ...offer, knowledge, bid: isBid ? offer.bid : undefined, budget };
    const found = (candidates: Candidate[], nothing?: NoOffers) =>
      this.#outlet.event({ kind: "OffersFound", askedAt, at: clock.now(), isBid, candidates, nothing });
    try {
      found((await searchForOffers({ ...this.#deps, log: this.#logOf(times) }, requirements, excluded)).map(ownFields));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      found([], nothingOf(error));
    }
  }

  /** Returns the log for a search: the first of several in a row tells every offer, the later ones nothing. */
  #logOf(times: number): Log {
    const { log } = this.#deps;
    return times === 0 ? log : { info() {}, warning: (line) => log.warning(line), stage: (_title, work) => work() };
  }

  async #create(order: CreateOrder): Promise<void> {
    const { clock } = this.#deps;
    const { candidate, machineNo, searchedAt } = order;
    const askedAt = clock.now();
    const outcome = await rent(this.#deps, this.#request, {
      ...order,
      ...candidate,
      n: machineNo,
      searchedAt,
      onRegistered: (runners, hide) => {
        this.#hiders.set(machineNo, hide);
        const own = runners.map(({ id, name }) => ({ id, name }));
        this.#outlet.event({ kind: "RunnersRegistered", askedAt, at: clock.now(), machineNo, runners: own });
      },
    });
    const { asked: sentAt, registered: registeredAt } = outcome.kind === "created" ? outcome.report.at : {};
    const instanceId = outcome.kind === "created" ? outcome.instanceId : undefined;
    const told = { outcome: outcomeOf(outcome), instanceId, registeredAt, sentAt, jitter: Math.random() };
    this.#outlet.event({ kind: "CreateAnswered", askedAt, at: clock.now(), machineNo, ...told });
  }

  async #drain({ machineNo, runnerIds }: Of<"drain">): Promise<void> {
    const { clock, log, runners, signal } = this.#deps;
    const askedAt = clock.now();
    const removed: number[] = [];
    let kept: { id: number; answer: "busy" | "unknown" } | undefined;
    for (const id of runnerIds) {
      const answer = await runners.remove(id, signal);
      if (answer === "removed") removed.push(id);
      else kept = { id, answer };
      if (kept !== undefined) break;
    }
    if (kept?.answer === "busy") log.info(`machine ${machineNo}: kept, a job runs on it.`);
    this.#outlet.event({
      kind: "RunnerRemoved",
      askedAt,
      at: clock.now(),
      machineNo,
      removed,
      ...(kept ? { kept } : {}),
    });
  }

  /** Destroys an instance and waits until it is gone. If it failed, shows its last lines first. */
  async #destroy({ id, machineNo, showLogs }: Of<"destroy">, fleet: Fleet): Promise<void> {
    const { clock, log } = this.#deps;
    const askedAt = clock.now();
    const machine = fleet.machines.find((each) => each.machineNo === machineNo);
    const instance = machine?.instances.find((each) => each.id === id);
    if (showLogs && machine !== undefined && mainInstance(machine)?.id === id) {
      const hideSecrets = (text: string) => this.hide(machineNo, text);
      const said = await showLastLines(this.#deps, { instanceId: id, hideSecrets });
      const told = { words: partingWords(said), connectError: connectError(said) };
      this.#outlet.event({ kind: "LogsFetched", askedAt, at: clock.now(), machineNo, id, ...told });
    }
    const done = (answer: { how: "destroyed" | "was-gone" } | { fault: ReturnType<typeof faultOf> }) =>
      this.#outlet.event({ kind: "DestroyAnswered", askedAt, at: clock.now(), machineNo, id, ...answer });
    try {
      const until = clock.now() + DESTROY_WITHIN_MS;
      const doomed = { id, createdAt: instance?.foundAt, wasListed: instance?.verdict !== undefined };
      const how = await destroyInstance({ ...this.#deps, until }, doomed);
      // Nobody knows who ended an instance that was lost or had failed.
      const byItself = machine?.ending?.kind === "over" ? "had given itself back" : "was gone already";
      log.info(`machine ${machineNo}: gone. Instance ${id} ${how === "destroyed" ? "is destroyed" : byItself}.`);
      done({ how });
    } catch (error) {
      if (!(error instanceof InstanceNotDestroyedError)) throw error;
      log.warning(`machine ${machineNo}: ${error.message}`);
      done({ fault: faultOf(error) });
    }
  }

  /** Reads the GPU figures out of a job's log. The text itself goes no further. */
  async #readJobLog({ jobId: id, machineNo }: Of<"read-job-log">, fleet: Fleet): Promise<void> {
    const { clock } = this.#deps;
    const askedAt = clock.now();
    const machine = fleet.machines.find((each) => each.machineNo === machineNo);
    const figures = machine && (await this.#figures.read(machine, id));
    this.#outlet.event({ kind: "FiguresRead", askedAt, at: clock.now(), machineNo, id, figures });
  }

  async #lookUpImage(): Promise<void> {
    const { clock, lookUpImage, signal } = this.#deps;
    const askedAt = clock.now();
    const missing = await lookUpImage(signal);
    this.#outlet.event({ kind: "ImageLookedUp", askedAt, at: clock.now(), ...(missing && { missing }) });
  }

  /** Reads in a machine's log whether it says why it gives itself back. */
  async #readMachineLog({ id, machineNo }: Of<"read-machine-log">): Promise<void> {
    const { clock } = this.#deps;
    const askedAt = clock.now();
    const hideSecrets = (text: string) => this.hide(machineNo, text);
    const read = await readPartingWords(this.#deps, { instanceId: id, hideSecrets });
    this.#outlet.event({ kind: "LogsFetched", askedAt, at: clock.now(), machineNo, id, ...read });
  }

  /** Keeps the first fault, which ends the loop. A later one is only logged. */
  #fail(error: unknown): void {
    const { log, signal } = this.#deps;
    const isEnding = this.#end.signal.aborted || this.#fault !== undefined;
    if (!isEnding) this.#fault = { error };
    else if (error !== signal.reason)
      log.warning(`While this step ended, something else failed: ${error}. What is rented is given back all the same.`);
    this.#outlet.failed();
  }
}

/** Drops what the market shows of an offer beside the fields that we read. */
function ownFields(candidate: Candidate): Candidate {
  const { expected, offer, price, spareCost } = candidate;
  return { offer: { ...offer, fields: {} }, price, expected, ...(spareCost === undefined ? {} : { spareCost }) };
}

function nothingOf(error: UserError): NoOffers {
  // A gateway's page is passing, whatever its status.
  const isPage = refusalOf(error)?.ownWord === false;
  if (!(error instanceof NoOfferError))
    return { kind: "fault", fault: { ...faultOf(error), isPassing: error.isPassing || isPage } };
  return { kind: "none-fits", explanation: error.explanation, requirements: error.requirements };
}

function outcomeOf(outcome: RentOutcome): CreateOutcome {
  switch (outcome.kind) {
    case "created":
      return outcome.unwanted === undefined ? { kind: "created" } : { kind: "unwanted", sentence: outcome.unwanted };
    case "unregistered":
      return { kind: "unregistered", fault: outcome.fault };
    case "refused":
      return {
        kind: "refused",
        refusal: outcome.refusal,
        templateHash: outcome.templateHash,
        isListed: outcome.isListed,
      };
    case "not-made":
      return outcome.why === "unknown"
        ? { kind: "uncertain", sentence: outcome.refusal.sentence }
        : { kind: "refused", refusal: outcome.refusal, isListed: outcome.isListed };
  }
}
