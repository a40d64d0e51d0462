import { Fleet } from "../../../src/fleet/fleet.ts";
import type { RentDeps, RentRequest } from "../../../src/fleet/rent-one.ts";
import type { LedgerPort } from "../../../src/machine/ports.ts";
import { anOffer, someWishes } from "./an-offer.ts";
import { FakeRunners } from "./fake-runners.ts";
import { FakeService } from "./fake-service.ts";
import { HandWoundClock } from "./hand-wound-clock.ts";
import { RecordedLog } from "./recorded-log.ts";

const MINUTE = 60_000;

/** The prefix of the use of these tests. */
export const PREFIX = "ghr1.1.2-1.abcdef";

/** Everything that renting needs, with a service and a GitHub that do as their test says. */
export class RentingWorld {
  readonly clock = new HandWoundClock();
  readonly log = new RecordedLog();
  readonly service = new FakeService(this.clock);
  readonly runners = new FakeRunners();
  readonly cancel = new AbortController();
  /** What was written down, in order. */
  readonly written: string[] = [];
  readonly deps: RentDeps;

  constructor() {
    const { clock, log, runners } = this;
    const service = this.service.client;
    const fleet = new Fleet({ service, runners, clock, log });
    this.deps = { service, runners, ledger: this.#ledger(), fleet, clock, log, signal: this.cancel.signal };
    this.service.offers = [1, 2, 3, 4, 5].map((id) => anOffer({ id, machine_id: id * 100, dph_total: id / 10 }));
  }

  /** What this use asks for, but for what the test says. */
  request(given: Partial<RentRequest> = {}): RentRequest {
    return {
      prefix: PREFIX,
      runnerNamePrefix: "gpu-2-1-abcdef",
      offer: someWishes(),
      searchMs: 0,
      instance: { image: "debian:13", runtype: "ssh_proxy", diskGb: 32 },
      image: { bytes: undefined, isDevel: false, decidesBoot: false },
      limits: {
        bootMs: 10 * MINUTE,
        onlineMs: 5 * MINUTE,
        readyMs: 25 * MINUTE,
        lifetimeMs: 120 * MINUTE,
        idleMs: 5 * MINUTE,
      },
      attempts: 4,
      onstart: "#!/bin/bash\n",
      env: ({ jitConfig, deadline }) => ({ GHR_JIT: jitConfig, GHR_DEADLINE: String(deadline) }),
      ...given,
    };
  }

  /** The instance of the n-th create reaches running after so many seconds, and its runner comes online then. */
  becomesReady(instanceId: number, seconds: number, runnerId: number): void {
    this.clock.at(seconds * 1000, () => {
      this.shows(instanceId, { actual_status: "running" });
      this.runners.statuses.set(runnerId, "online");
    });
  }

  /** An instance that is still there shows this from now on. */
  shows(instanceId: number, fields: Record<string, unknown>): void {
    const known = this.service.instances.get(instanceId);
    if (known) this.service.put({ ...known, ...fields });
  }

  #ledger(): LedgerPort {
    const write = (line: string) => void this.written.push(line);
    return {
      runner: (n, id) => write(`runner_${n}=${id}`),
      pending: (n, label) => write(`pending_${n}=${label}`),
      created: (n, id) => write(`created_${n}=${id}`),
      report: (n, { last }) => write(`report_${n}: ${last}`),
    };
  }
}
