import { expect } from "vitest";
import type { FleetDeps } from "../../../src/fleet/deps.ts";
import { runFleet } from "../../../src/fleet/loop.ts";
import { type FleetOptions, type FleetRequest, rulesOf } from "../../../src/fleet/options.ts";
import { emptyFleet, type FleetState } from "../../../src/fleet/state.ts";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { Job } from "../../../src/github/jobs.ts";
import { NO_HISTORY } from "../../../src/history/hosts.ts";
import type { LedgerPort } from "../../../src/machine/create.ts";
import type { Offer } from "../../../src/marketplace/marketplace.ts";
import { ProgressLog } from "../../../src/report/progress-log.ts";
import { someOptions } from "./a-fleet.ts";
import { aJob, completedJob, OWN_JOB, runningJob, WHOSE } from "./a-job.ts";
import { someRequirements } from "./an-offer.ts";
import { FakeRunners } from "./fake-runners.ts";
import { HandWoundClock } from "./hand-wound-clock.ts";
import { RecordedLog } from "./recorded-log.ts";
import { aMarketOffer, StandInMarket } from "./stand-in-market.ts";

const MINUTE = 60_000;

/** An offer of a machine of its own, at so much an hour. */
export function anOfferAt(id: number, total: number): Offer {
  return aMarketOffer({ id, machineId: id * 100, price: { total, storage: 0 } });
}

/** The prefix of the session of these tests. */
export const PREFIX = "ghr1.1.4711-1.abcdef";

/** Everything that the loop needs, with a service and a GitHub that do as their test says. */
export class RentingWorld {
  readonly clock = new HandWoundClock();
  readonly log = new RecordedLog();
  readonly service = new StandInMarket(this.clock);
  readonly runners = new FakeRunners();
  readonly cancel = new AbortController();
  /** The notes, in order. */
  readonly written: string[] = [];
  /** GitHub's jobs, with this very one and another; undefined: it can't be asked. */
  jobs: Job[] | undefined = [];
  /** The logs of jobs that GitHub has stored. */
  readonly logs = new Map<number, string>();
  /** The registry's word that it has no such image. */
  missing: string | undefined;
  readonly fleet: FleetState = emptyFleet(this.clock.now());
  readonly deps: FleetDeps;

  constructor() {
    const { clock, log, runners } = this;
    this.deps = {
      service: this.service,
      runners,
      ledger: this.#ledger(),
      clock,
      log,
      signal: this.cancel.signal,
      listJobs: async () => (this.jobs === undefined ? undefined : [OWN_JOB, aJob(), ...this.jobs]),
      lookAtJob: async (id) => this.jobs && (this.jobs.find((job) => job.id === id) ?? "gone"),
      readJobLog: async (id) => {
        const log = this.logs.get(id);
        if (log === undefined) throw new GithubUnavailableError("read the log of a job", "it is not stored yet");
        return log;
      },
      lookUpImage: async () => this.missing,
      whose: WHOSE,
      history: { known: NO_HISTORY, isKept: false, usualJobMs: () => undefined, note: () => {} },
      requestsLeft: () => undefined,
      requestsCounted: () => 0,
      aliveOfRepository: (instances) => instances.map(({ id }) => id),
    };
    this.service.offers = [1, 2, 3, 4, 5].map((id) => anOfferAt(id, id / 10));
  }

  /** The loop, wound to its end. */
  async run(options: Partial<FleetOptions> = {}) {
    const given = someOptions({ machines: 1, hedge: false, ...options });
    const request = this.request();
    const progress = new ProgressLog(this.deps, request, rulesOf(given, request));
    const looked = progress.look.bind(progress);
    return await this.clock.run(runFleet(this.deps, request, given, this.fleet, { looked }));
  }

  /** The loop until it is cancelled, so many seconds after the start. */
  async runUntil(seconds: number, options: Partial<FleetOptions> = {}): Promise<void> {
    this.at(seconds, () => this.cancel.abort(new Error("cancelled")));
    await expect(this.run(options)).rejects.toThrow("cancelled");
  }

  /** This session's request, but for what the test says. */
  request(given: Partial<FleetRequest> = {}): FleetRequest {
    return {
      prefix: PREFIX,
      runnerNamePrefix: WHOSE.runnerNamePrefix,
      offer: someRequirements(),
      instance: { image: "debian:13", runtype: "ssh_proxy", disk: 32 },
      image: { name: "debian:13", bytes: undefined, isDevel: false, decidesBoot: false },
      money: {},
      leastMs: 10 * MINUTE,
      limits: { bootMs: 10 * MINUTE, onlineMs: 5 * MINUTE, readyMs: 25 * MINUTE, maxLifetime: 120 * MINUTE },
      jobsPerMachine: 1,
      onstart: "#!/bin/bash\n",
      env: ({ jitConfigs, deadline }) => ({ GHR_JIT: jitConfigs.join(" "), GHR_DEADLINE: String(deadline) }),
      ...given,
    };
  }

  /** So many seconds after the start. */
  at(seconds: number, happening: () => void): void {
    this.clock.at(seconds * 1000, happening);
  }

  /** The n-th create's instance runs after so many seconds, and its runner is online then. */
  becomesReady(instanceId: number, seconds: number, runnerId: number): void {
    this.at(seconds, () => {
      this.service.shows(instanceId, { state: "running" });
      this.runners.states.set(runnerId, "online");
    });
  }

  /** The job that waits gets the first machine after a minute, and is over at `over` seconds. */
  oneJob(over = 300, conclusion = "success"): void {
    this.becomesReady(701, 60, 21);
    this.at(65, () => {
      this.jobs = [runningJob()];
      this.runners.states.set(21, "busy");
    });
    this.at(over, () => {
      this.jobs = [completedJob(conclusion)];
      this.runners.states.set(21, "gone");
      this.service.instances.delete(701);
    });
  }

  #ledger(): LedgerPort {
    const write = (line: string) => void this.written.push(line);
    return {
      runners: (n, ids) => write(`runner_${n}=${ids.join(",")}`),
      pending: (n, label) => write(`pending_${n}=${label}`),
      created: (n, id, isClaimed) => write(`created_${n}=${id}${isClaimed ? ", by its label alone" : ""}`),
      report: (n, { instanceId, last }) => write(`report_${n}=${instanceId}: ${last}`),
    };
  }
}
