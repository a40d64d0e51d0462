import type { SimClock } from "../clock/sim-clock.ts";
import { type Exchange, serveHttp } from "../http/serve-http.ts";
import { Fault } from "../scenario/fault.ts";
import { Scenario } from "../scenario/scenario.ts";
import type { ScopedKey } from "./account/keys.ts";
import type { Books } from "./billing/books.ts";
import type { MachineHost } from "./containers/machine-host.ts";
import { type InstanceRecord, PLAIN_ORDER } from "./rentals/instance-record.ts";
import type { InstanceChange } from "./rentals/rentals.ts";
import { readRequestBody } from "./requests/request-body.ts";
import { buildWorld } from "./server/build-world.ts";
import { answerControl, CONTROL_PREFIX } from "./server/control.ts";
import { serveRequest } from "./server/routes.ts";
import type { ServiceWorld } from "./service-world.ts";
import type { Dialect } from "./traffic/refusal.ts";
import { sendAnswer } from "./traffic/refusal.ts";
import type { JournalEntry, ServiceJournal } from "./traffic/service-journal.ts";

/** How a service is started; everything but the clock has a default. */
export interface ServiceOptions {
  clock: SimClock;
  /** Default observed. */
  dialect?: Dialect;
  scenario?: Scenario;
  /** Default 0: any free port, always on 127.0.0.1. */
  port?: number;
  /** Who runs the containers; without it instances have no process. */
  machines?: MachineHost;
  /** Restricted keys of the account, beside those of the scenario. */
  keys?: readonly ScopedKey[];
  /** Gets one line per request; never a key, an env value or a body. */
  log?: (line: string) => void;
}

/** A running service. Disposing closes all connections; the containers are their host's to end. */
export interface ServiceSimulator extends AsyncDisposable {
  readonly url: string;
  /** The account's full-access key. */
  readonly apiKey: string;
  readonly books: Books;
  readonly journal: ServiceJournal;
  /** Every instance there ever was, in the order of creation, with what happened to it. */
  instances(): readonly InstanceRecord[];
  /** Replaces all faults, those of the scenario included; throws on one that is not valid. */
  setFaults(faults: readonly Fault[]): void;
  /** Acts on an instance behind the service's back; throws where there is no such instance. */
  update(id: number, change: InstanceChange): void;
  /**
   * Rents this offer, or the first free one, under this label, as another job with the account's
   * key would have; throws when it is not free.
   */
  leaveBehind(label: string, offer?: number): InstanceRecord;
}

/** Starts the rental service; throws on an invalid scenario, saying what is wrong with it. */
export async function startService(options: ServiceOptions): Promise<ServiceSimulator> {
  const { dialect = "observed", clock, port = 0, machines, keys = [], log = () => undefined } = options;
  const scenario = Scenario.parse(options.scenario ?? {});
  scenario.keys.push(...keys.map((each) => ({ ...each, scopes: [...each.scopes] })));
  const { world, containers, creditWatch } = buildWorld({ dialect, clock, scenario, machines, log });
  const server = await serveHttp({
    port,
    handle: (exchange) => serve(exchange, world, log),
    failed: (fault) => log(`the simulator failed: ${fault instanceof Error ? fault.stack : fault}`),
  });
  world.logFiles.baseUrl = server.url;
  return control(server.url, world, async () => {
    creditWatch[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
    await containers?.[Symbol.asyncDispose]();
  });
}

async function serve(exchange: Exchange, world: ServiceWorld, log: (line: string) => void): Promise<void> {
  const { request, response, url } = exchange;
  if (url.pathname.startsWith(CONTROL_PREFIX)) {
    const { json } = await readRequestBody(request);
    const answer = answerControl(request.method ?? "", url.pathname, { json, world });
    sendAnswer(response, { how: "answer", answer }, world.clock);
    return;
  }
  log(line(await serveRequest(exchange, world)));
}

function line({ method, path, operation, caller, status, outcome, faults }: JournalEntry): string {
  const end = outcome === "answered" ? status : outcome;
  return [method, path, operation, `by ${caller}`, `-> ${end}`, ...faults.map((kind) => `(${kind})`)].join(" ");
}

function control(url: string, world: ServiceWorld, dispose: () => Promise<void>): ServiceSimulator {
  return {
    url,
    apiKey: world.apiKey,
    books: world.books,
    journal: world.journal,
    instances: () => world.rentals.records,
    setFaults: (faults) => world.faults.set(faults.map((fault) => Fault.parse(fault))),
    update: (id, change) => world.rentals.update(id, change),
    leaveBehind: (label, offer) => leaveBehind(world, label, offer),
    [Symbol.asyncDispose]: dispose,
  };
}

function leaveBehind({ market, rentals }: ServiceWorld, label: string, id?: number): InstanceRecord {
  const free = market.stalls.filter(({ offer }) => offer.rentable && !rentals.holds(offer.id));
  const stall = id === undefined ? free[0] : free.find(({ offer }) => offer.id === id);
  if (!stall) throw new Error(id === undefined ? "Every offer of the market is taken." : `Offer ${id} is taken.`);
  const none = { imageLogin: null, template: null, price: null };
  const args = { runtype: "args", env: {}, onstart: "", args: [], ...PLAIN_ORDER, ...none } as const;
  return rentals.create(stall, { ...args, image: "debian:13", disk: 8, label, targetState: "running" });
}
