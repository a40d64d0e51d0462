import type { SimClock } from "../clock/sim-clock.ts";
import { answerControl, CONTROL_PREFIX } from "../http/control.ts";
import { deliver } from "../http/deliver.ts";
import { readBody } from "../http/read-body.ts";
import { type Exchange, serveHttp } from "../http/serve-http.ts";
import { Scenario } from "../scenario/scenario.ts";
import type { MachineHost } from "./containers/machine-host.ts";
import type { InstanceRecord } from "./rentals/instance-record.ts";
import type { InstanceChange } from "./rentals/rentals.ts";
import { readCreateBody } from "./requests/create-body.ts";
import { CONTROL_ROUTES } from "./server/control.ts";
import { serveRequest } from "./server/routes.ts";
import { buildWorld, type ServiceWorld } from "./service-world.ts";
import type { Dialect } from "./traffic/refusal.ts";
import type { JournalEntry } from "./traffic/service-journal.ts";

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
  /** Gets one line per request; never a key, an env value or a body. */
  log?: (line: string) => void;
}

/** A running service. Disposing closes all connections; the containers are their host's to end. */
export type ServiceSimulator = Awaited<ReturnType<typeof startService>>;

/** Starts the rental service; throws on an invalid scenario, saying what is wrong with it. */
export async function startService(options: ServiceOptions) {
  const { dialect = "observed", clock, port = 0, machines, log = () => undefined } = options;
  const scenario = Scenario.parse(options.scenario ?? {});
  const world = buildWorld({ dialect, clock, scenario, machines, log });
  const server = await serveHttp({
    port,
    handle: (exchange) => serve(exchange, world, log),
    failed: (fault) => log(`the simulator failed: ${fault instanceof Error ? fault.stack : fault}`),
  });
  world.logFiles.baseUrl = server.url;
  return {
    url: server.url,
    ...handsOn(world),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await world.end();
    },
  };
}

async function serve(exchange: Exchange, world: ServiceWorld, log: (line: string) => void): Promise<void> {
  const { request, response, url } = exchange;
  if (!url.pathname.startsWith(CONTROL_PREFIX)) return log(line(await serveRequest(exchange, world)));
  const asked = { method: request.method ?? "", path: url.pathname, body: await readBody(request) };
  const answer = answerControl(CONTROL_ROUTES, world, asked);
  deliver(response, { how: "answer", answer }, world.clock);
}

function line({ method, path, operation, caller, status, outcome, faults }: JournalEntry): string {
  const end = outcome === "answered" ? status : outcome;
  return [method, path, operation, `by ${caller}`, `-> ${end}`, ...faults.map((kind) => `(${kind})`)].join(" ");
}

function handsOn(world: ServiceWorld) {
  return {
    /** The account's full-access key. */
    apiKey: world.apiKey,
    books: world.books,
    journal: world.journal,
    /** Every instance there ever was, in the order of creation, with what happened to it. */
    instances: (): readonly InstanceRecord[] => world.rentals.records,
    /** Replaces all faults, those of the scenario included; throws on one that is not valid. */
    setFaults: world.faults.set,
    /** Acts on an instance behind the service's back; throws where there is no such instance. */
    update: (id: number, change: InstanceChange) => world.rentals.update(id, change),
    /**
     * Rents this offer, or the first free one, under this label, as another job with the account's
     * key would have; throws when it is not free.
     */
    leaveBehind: (label: string, offer?: number) => leaveBehind(world, label, offer),
  };
}

function leaveBehind({ market, rentals, dialect }: ServiceWorld, label: string, id?: number): InstanceRecord {
  const free = market.stalls.filter(({ offer }) => offer.rentable && !rentals.holds(offer.id));
  const stall = id === undefined ? free[0] : free.find(({ offer }) => offer.id === id);
  if (!stall) throw new Error(id === undefined ? "Every offer of the market is taken." : `Offer ${id} is taken.`);
  const { order } = readCreateBody({ image: "debian:13", runtype: "args", label }, dialect, []);
  return rentals.create(stall, order);
}
