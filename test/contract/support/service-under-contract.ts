import { AccountClient } from "../../../client/account.ts";
import type { ServiceOptions } from "../../../simulator/service/start-service.ts";
import type { Dialect } from "../../../simulator/service/traffic/refusal.ts";
import { judgeCreate } from "../../../src/marketplace/vast/refusals.ts";
import type { ServiceClientOptions } from "../../../src/marketplace/vast/service-client.ts";
import { offerQuery } from "../../../src/offers/search.ts";
import { windingClock } from "../../simulator/support/hand-clock.ts";
import { type UnderTest, underTest } from "../../simulator/support/service.ts";
import { aConfig } from "../../unit/support/an-instance-config.ts";
import { someRequirements } from "../../unit/support/an-offer.ts";

/** The two readings of the interface that the client must work against. */
export const DIALECTS = ["seed", "observed"] as const;

/** The service in one dialect, and a client. Time stands still but for the client's waits. */
export interface ServiceUnderContract extends UnderTest {
  /** With the account's full key. */
  readonly client: AccountClient;
  /** Another client of the same service, closed with it. */
  connect(options?: Partial<ServiceClientOptions>): AccountClient;
}

/** Starts a service and connects a client. */
export async function startContract(
  dialect: Dialect,
  options: Omit<ServiceOptions, "clock" | "dialect"> = {},
): Promise<ServiceUnderContract> {
  const open = new AsyncDisposableStack();
  const service = open.use(await underTest({ ...options, dialect }));
  const { apiKey, url } = service.sim;
  const clock = windingClock(service.clock);
  const connect = (more: Partial<ServiceClientOptions> = {}) =>
    open.use(new AccountClient({ baseUrl: url, apiKey, clock, ...more }));
  return { ...service, client: connect(), connect, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Requirements that the default market can meet. */
export const REQUIREMENTS = someRequirements({
  minGpuRamGb: 24,
  minComputeCap: 7,
  minCuda: 12.8,
  minCpuCores: 4,
  minCpuRamGb: 16,
  minInetDownMbps: 200,
  geolocation: ["SE", "CA", "US"],
  offerFilter: { disk_bw: { gt: 500 } },
  excludeMachines: [1],
});

/** The search for these requirements. */
export const QUERY = offerQuery(REQUIREMENTS);

/** Creates on an offer; throws unless the answer is the one of the specification. */
export async function rent({ client }: ServiceUnderContract, offer = 11, config = aConfig()): Promise<number> {
  const verdict = judgeCreate(await client.createInstance(offer, config));
  if (verdict.kind !== "created") throw new Error(`The create was ${verdict.kind}.`);
  return verdict.instanceId;
}
