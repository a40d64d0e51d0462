import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { SimClock } from "../clock/sim-clock.ts";
import { Fault, Scenario } from "../scenario/scenario.ts";
import type { ScopedKey } from "./account/keys.ts";
import type { Books } from "./billing/books.ts";
import type { Containers } from "./containers/containers.ts";
import type { MachineHost } from "./containers/machine-host.ts";
import { type InstanceRecord, PLAIN_ORDER } from "./rentals/instance-record.ts";
import type { InstanceChange } from "./rentals/rentals.ts";
import { readRequestBody } from "./requests/request-body.ts";
import { buildWorld } from "./server/build-world.ts";
import { answerControl, CONTROL_PREFIX } from "./server/control.ts";
import { serveRequest } from "./server/serve-request.ts";
import type { ServiceWorld } from "./service-world.ts";
import { deliver } from "./traffic/deliver.ts";
import type { Dialect } from "./traffic/dialect.ts";
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

/** A running service. Disposing of it closes all connections; the containers are their host's to end. */
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
  /** Does something to an instance behind the service's back; throws where there is no such instance. */
  update(id: number, change: InstanceChange): void;
  /** Rents the first free offer under this label, as another job with the account's key would have; throws when none is free. */
  leaveBehind(label: string): InstanceRecord;
}

/** Starts the rental service; throws on a scenario that is not valid, saying what is wrong with it. */
export async function startService(options: ServiceOptions): Promise<ServiceSimulator> {
  const { dialect = "observed", clock, port = 0, machines, keys = [], log = () => undefined } = options;
  const scenario = Scenario.parse(options.scenario ?? {});
  scenario.keys.push(...keys.map((each) => ({ ...each, scopes: [...each.scopes] })));
  const { world, containers, creditWatch } = buildWorld({ dialect, clock, scenario, machines, log });
  const closing = new AbortController();
  const server = createServer((request, response) => {
    serve({ request, response, closing: closing.signal, world, log }).catch((fault) => {
      // A request cut short by the closing of the service, or by its caller, is no fault of the simulator.
      if (!closing.signal.aborted && !request.destroyed) log(`the simulator failed: ${fault?.stack ?? fault}`);
      response.destroy();
    });
  });
  // Idle connections outlive any pause of a client: closed in between, they would look like lost answers.
  server.keepAliveTimeout = 600_000;
  const url = await listen(server, port);
  world.logFiles.baseUrl = url;
  return control(url, world, () => {
    creditWatch[Symbol.dispose]();
    return close(server, closing, containers);
  });
}

interface Served {
  request: IncomingMessage;
  response: ServerResponse;
  closing: AbortSignal;
  world: ServiceWorld;
  log: (line: string) => void;
}

async function serve({ request, response, closing, world, log }: Served): Promise<void> {
  const url = new URL(request.url ?? "/", "http://service.invalid");
  // The machines read the time of day from this header: it must be the simulated one.
  response.setHeader("date", new Date(world.clock.now()).toUTCString());
  if (url.pathname.startsWith(CONTROL_PREFIX)) {
    const { json } = await readRequestBody(request);
    const answer = answerControl(request.method ?? "", url.pathname, { json, world });
    deliver(response, { how: "answer", answer }, world.clock);
    return;
  }
  log(line(await serveRequest({ request, response, url, closing }, world)));
}

function line({ method, path, operation, caller, status, outcome, faults }: JournalEntry): string {
  const end = outcome === "answered" ? status : outcome;
  return [method, path, operation, `by ${caller}`, `-> ${end}`, ...faults.map((kind) => `(${kind})`)].join(" ");
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const bound = typeof address === "object" && address ? address.port : port;
      resolve(`http://127.0.0.1:${bound}`);
    });
  });
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
    leaveBehind: (label) => leaveBehind(world, label),
    [Symbol.asyncDispose]: dispose,
  };
}

function leaveBehind({ market, rentals }: ServiceWorld, label: string): InstanceRecord {
  const stall = market.stalls.find(({ offer }) => offer.rentable && !rentals.holds(offer.id));
  if (!stall) throw new Error("Every offer of the market is taken.");
  const none = { imageLogin: null, template: null, price: null };
  const args = { runtype: "args", env: {}, onstart: "", args: [], ...PLAIN_ORDER, ...none } as const;
  return rentals.create(stall, { ...args, image: "debian:13", disk: 8, label, targetState: "running" });
}

async function close(server: Server, closing: AbortController, containers: Containers | undefined): Promise<void> {
  closing.abort(new Error("The service closes."));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await containers?.[Symbol.asyncDispose]();
  await closed;
}
