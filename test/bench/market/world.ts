import type { Job } from "../../../src/github/jobs.ts";
import type { Marketplace } from "../../../src/marketplace/marketplace.ts";
import type { RawAnswer } from "../../../src/marketplace/vast/refusals.ts";
import type { InstanceConfig } from "../../../src/marketplace/vast/requests.ts";
import { instanceSchema, type WireInstance, type WireOffer } from "../../../src/marketplace/vast/schemas.ts";
import type { ServiceClient } from "../../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../../src/marketplace/vast/vast-marketplace.ts";
import { aJob, waitingJob } from "../../unit/support/a-job.ts";
import { FakeRunners } from "../../unit/support/fake-runners.ts";
import type { HandWoundClock } from "../../unit/support/hand-wound-clock.ts";
import { Draws } from "./draws.ts";
import type { Boot, Host, Market } from "./market.ts";
import { type Bill, billOf } from "./outcome.ts";

const SEARCH_MS = 2000;
const CREATE_EVERY_MS = 4500;
const DESTROY_EVERY_MS = 3000;
/** From a job's end to the next listener, or to the machine's own end. */
const BETWEEN_USES_MS = 5000;
const RENT_JOB_ID = 1;

interface Rented {
  id: number;
  host: Host;
  boot: Boot;
  label: string;
  createdAt: number;
  goneAt: number | undefined;
  /** In order; the first is online when the machine is. */
  runnerIds: number[];
}

/** The service, GitHub and the machines of one trial, on a clock that is wound by hand. */
export class BenchWorld {
  readonly runners = new FakeRunners();
  readonly #clock: HandWoundClock;
  readonly #start: number;
  readonly #market: Market;
  readonly #jobMs: number;
  readonly #draws: Draws;
  readonly #rented = new Map<number, Rented>();
  readonly #jobs: Job[];
  readonly #next = { create: 0, destroy: 0 };
  readonly #lists = { last: "", countedAt: [] as number[] };
  #claimed = 0;

  constructor(
    clock: HandWoundClock,
    market: Market,
    trial: number,
    jobs: { count: number; seconds: number; label: string },
  ) {
    this.#clock = clock;
    this.#start = clock.now();
    this.#market = market;
    this.#jobMs = jobs.seconds * 1000;
    this.#draws = new Draws(trial, "world");
    const own = aJob({ id: RENT_JOB_ID, name: "rent", runnerId: undefined, runnerName: undefined });
    const gpu = Array.from({ length: jobs.count }, (_none, index) =>
      waitingJob({ id: index + 2, name: `test (${index})`, labels: [jobs.label], url: undefined }),
    );
    this.#jobs = [own, ...gpu];
  }

  /** The bill of each machine. Moments in seconds since the trial began. */
  bills(): Bill[] {
    const end = this.#clock.now();
    return [...this.#rented.values()].map(({ host, boot, createdAt, goneAt = end }) => {
      const created = this.seconds(createdAt);
      return billOf(host, this.#market.shape, created, created + boot.running, this.seconds(goneAt));
    });
  }

  /** When each GPU job began and ended, in seconds; infinite: never. */
  jobTimes(): { began: number; ended: number }[] {
    const of = (at: number | undefined) => (at === undefined ? Number.POSITIVE_INFINITY : this.seconds(at));
    return this.#jobs.slice(1).map(({ startedAt, completedAt }) => ({ began: of(startedAt), ended: of(completedAt) }));
  }

  /** Since the trial began. */
  seconds(at: number): number {
    return (at - this.#start) / 1000;
  }

  /** Post ends what is left. */
  end(): void {
    for (const machine of this.#rented.values()) machine.goneAt ??= this.#clock.now();
  }

  async listJobs(): Promise<readonly Job[]> {
    const shown = this.#jobs.map((job) => ({ ...job }));
    const text = JSON.stringify(shown);
    if (text !== this.#lists.last) this.#lists.countedAt.push(this.#clock.now());
    this.#lists.last = text;
    return shown;
  }

  /** How many requests for jobs since then changed what the one before had seen: GitHub counts those alone. */
  countedSince(from: number): number {
    return this.#lists.countedAt.filter((at) => at > from).length;
  }

  get service(): Marketplace {
    const service = {
      searchOffers: async () => {
        await this.#clock.sleep(SEARCH_MS);
        return this.#offers();
      },
      createInstance: (id: number, config: InstanceConfig, { onSend }: { onSend?: (() => void) | undefined } = {}) =>
        this.#create(id, config, onSend),
      listInstances: async () => [...this.#rented.values()].flatMap((machine) => this.#shown(machine)),
      getInstance: async (id: number) => this.#shown(this.#rented.get(id))[0],
      destroyInstance: async (id: number) => {
        await this.#turn("destroy", DESTROY_EVERY_MS);
        const machine = this.#rented.get(id);
        if (machine === undefined || machine.goneAt !== undefined) return "absent";
        machine.goneAt = this.#clock.now();
        return "asked";
      },
      requestLogs: async () => "",
    };
    return new VastMarketplace(service as unknown as ServiceClient);
  }

  #offers(): WireOffer[] {
    const rented = new Set([...this.#rented.values()].map(({ goneAt, host }) => goneAt === undefined && host.id));
    return this.#market.hosts
      .filter(({ id }) => !rented.has(id))
      .map(offerOf)
      .toSorted((one, other) => one.dph_total - other.dph_total);
  }

  async #create(offerId: number, config: InstanceConfig, onSend?: () => void): Promise<RawAnswer> {
    await this.#turn("create", CREATE_EVERY_MS);
    onSend?.();
    const runnerIds = this.runners.registered.slice(this.#claimed).map((runner) => runner.id);
    this.#claimed = this.runners.registered.length;
    await this.#clock.sleep(this.#draws.uniform(1000, 2000));
    const host = this.#market.hosts.find(({ id }) => id === offerId);
    const boot = host && this.#market.boot(host);
    if (host === undefined || boot === undefined || boot.isTaken)
      return answer(410, { success: false, error: "no_such_ask", msg: "gone" });
    const [label, createdAt] = [config.label ?? "", this.#clock.now()];
    const machine: Rented = { id: 100 + this.#rented.size, host, boot, label, createdAt, goneAt: undefined, runnerIds };
    this.#rented.set(machine.id, machine);
    this.#later(boot.online * 1000, () => this.#online(machine));
    return answer(200, { success: true, new_contract: machine.id, instance_api_key: "instance-key" });
  }

  /** One listener after the other; each takes one job. */
  #online(machine: Rented): void {
    if (machine.goneAt !== undefined) return;
    const runnerId = machine.runnerIds.find((id) => this.runners.states.get(id) !== "gone");
    const job = this.#jobs.find(({ status }) => status === "queued");
    if (runnerId === undefined) machine.goneAt = this.#clock.now();
    else if (job === undefined) this.runners.states.set(runnerId, "online");
    else this.#run(machine, job, runnerId);
  }

  #run(machine: Rented, job: Job, runnerId: number): void {
    const runnerName = this.runners.registered.find(({ id }) => id === runnerId)?.name;
    Object.assign(job, { status: "in_progress", runnerId, runnerName, startedAt: this.#clock.now() });
    this.runners.states.set(runnerId, "busy");
    this.#later(this.#jobMs, () => {
      Object.assign(job, { status: "completed", conclusion: "success", completedAt: this.#clock.now() });
      this.runners.states.set(runnerId, "gone");
      this.#later(BETWEEN_USES_MS, () => this.#online(machine));
    });
  }

  #shown(machine: Rented | undefined): WireInstance[] {
    if (machine === undefined || machine.goneAt !== undefined) return [];
    const { id, label, host, boot, createdAt } = machine;
    const age = (this.#clock.now() - createdAt) / 1000;
    const running = age >= boot.running ? "running" : "loading";
    const actual_status = age >= boot.ended ? "exited" : running;
    const wanted = { intended_status: "running", cur_state: "running" };
    return [instanceSchema.parse({ id, label, machine_id: host.id, actual_status, ...wanted })];
  }

  async #turn(what: "create" | "destroy", everyMs: number): Promise<void> {
    const at = Math.max(this.#clock.now(), this.#next[what]);
    this.#next[what] = at + everyMs;
    await this.#clock.sleep(at - this.#clock.now());
  }

  #later(milliseconds: number, happening: () => void): void {
    if (Number.isFinite(milliseconds)) this.#clock.at(this.#clock.elapsed + milliseconds, happening);
  }
}

/** Of `storage_cost` the service's month counts. */
const HOURS_PER_MONTH = 730;

/** A host as the service offers it. */
function offerOf({ id, inetDown, gpuPrice, storagePrice, bytePrice }: Host): WireOffer {
  return {
    id,
    machine_id: id,
    num_gpus: 1,
    gpu_name: "RTX 4090",
    dph_base: gpuPrice,
    dph_total: gpuPrice + storagePrice,
    storage_cost: (storagePrice / 32) * HOURS_PER_MONTH,
    inet_down: inetDown,
    inet_down_cost: bytePrice,
    inet_up_cost: bytePrice,
    reliability: 0.99,
    verification: "verified",
    disk_space: 400,
    duration: 30 * 86_400,
    compute_cap: 890,
    cuda_max_good: 12.8,
  };
}

function answer(status: number, body: unknown): RawAnswer {
  return { status, text: JSON.stringify(body), json: body, retryAfter: undefined };
}
