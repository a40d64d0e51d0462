import type { Fault, Faults, Where } from "./fault.ts";
import { lacks } from "./market.ts";
import { RUNNER_LABEL } from "./names.ts";
import type { Happening } from "./referee/record.ts";
import { isAway, isHeld, isUp, type JobInWorld, type RunnerInWorld } from "./things.ts";
import type { World } from "./world.ts";

/** An answer of GitHub before anybody judges it; a page: what is no JSON. */
interface GithubSays {
  status: number;
  data: unknown;
  headers: Record<string, string>;
}

/** One request, with its route filled in. */
interface GithubAsks {
  token: "github-token" | "job-token";
  method: string;
  path: string;
  parameters: Readonly<Record<string, unknown>>;
  etag: string | undefined;
}

const PAGE_SIZE = 100;
const PAGE = "<html><body>Unicorn!</body></html>";
const NOT_FOUND = { message: "Not Found" };

const says = (status: number, data: unknown): GithubSays => ({ status, data, headers: {} });

const REFUSALS: Partial<Record<Fault["what"], GithubSays>> = {
  "502": says(502, PAGE),
  "429": { status: 429, data: { message: "secondary rate limit" }, headers: { "retry-after": "30" } },
  "page 200": says(200, PAGE),
  "page 403": says(403, PAGE),
  "page 404": says(404, PAGE),
  "401": says(401, { message: "Bad credentials" }),
  "403": says(403, { message: "Resource not accessible by personal access token" }),
  "404": says(404, NOT_FOUND),
  "409": says(409, { message: "Already exists - A runner with the name already exists." }),
};

/** GitHub, as it answers requests. Undefined: no answer. */
export class GithubInWorld {
  readonly #world: World;
  readonly #faults: Faults;
  readonly #hears: (happening: Happening) => void;
  readonly #start: number;

  constructor(world: World, start: number, faults: Faults, hears: (happening: Happening) => void) {
    this.#world = world;
    this.#start = start;
    this.#faults = faults;
    this.#hears = hears;
  }

  /** How long an answer takes, in milliseconds. It says what was so when the request came. */
  takes(asks: GithubAsks): number {
    return placeOf(asks) === "jobs" ? this.#world.story.jobsTakeS * 1000 : 0;
  }

  serve(asks: GithubAsks): GithubSays | undefined {
    this.#hears({ what: "asks GitHub" });
    const place = placeOf(asks);
    const fault = this.#faults.meet([place, asks.token], this.#world.now, !/\/\d+$/.test(asks.path));
    if (fault !== undefined) this.#world.note(`${asks.method} ${asks.path}: ${fault.what}`);
    if (fault?.what === "lost") return undefined;
    const refusal = fault && REFUSALS[fault.what];
    if (refusal !== undefined) return refusal;
    const told = this.#carryOut(place, asks, fault);
    if (fault?.what === "lost after") return undefined;
    if (asks.method !== "GET" || told.status !== 200) return told;
    const etag = JSON.stringify(told.data);
    return asks.etag === etag ? says(304, "") : { ...told, headers: { etag } };
  }

  #carryOut(place: Where, { parameters, path }: GithubAsks, fault: Fault | undefined): GithubSays {
    const id = Number(/\/(\d+)$/.exec(path)?.[1]);
    if (place === "register") return this.#register(String(parameters.name));
    if (place === "remove") return this.#remove(id);
    if (place === "runners") return Number.isNaN(id) ? this.#runners(parameters, fault) : this.#runner(id);
    if (place === "cancel") return this.#cancel();
    return Number.isNaN(id) ? this.#jobs(parameters, fault) : this.#job(id);
  }

  #register(name: string): GithubSays {
    if (this.#registered().some((runner) => runner.name === name)) return says(409, { message: "Already exists" });
    const runner = this.#world.register(name);
    return says(201, { encoded_jit_config: `jit-${runner.id}`, runner: this.#runnerRow(runner, this.#world.now) });
  }

  #remove(id: number): GithubSays {
    const runner = this.#world.runners.find((each) => each.id === id);
    if (runner === undefined || runner.goneAt <= this.#world.now) return says(404, NOT_FOUND);
    if (!this.#world.isUndeletable(runner)) this.#hears({ what: "removes", runner, isInVain: false });
    const isBusy = this.#world.remove(runner) === "busy";
    if (isBusy) this.#hears({ what: "removes", runner, isInVain: true });
    return isBusy
      ? says(422, { message: `Runner ${id} is currently running a job and cannot be deleted` })
      : says(204, {});
  }

  #registered(at = this.#world.now): RunnerInWorld[] {
    return this.#world.runners.filter(({ goneAt, registeredAt }) => registeredAt <= at && goneAt > at);
  }

  #runner(id: number): GithubSays {
    const at = this.#world.now - this.#world.story.runnersLagS * 1000;
    const runner = this.#registered(at).find((each) => each.id === id);
    return runner === undefined ? says(404, NOT_FOUND) : says(200, this.#runnerRow(runner, at));
  }

  #runners({ page = 1 }: Readonly<Record<string, unknown>>, fault: Fault | undefined): GithubSays {
    const { now, story } = this.#world;
    const at = now - (fault?.what === "old" ? fault.detail : story.runnersLagS) * 1000;
    const all = this.#registered(at).map((runner) => this.#runnerRow(runner, at));
    const ours = all.filter((_, index) => !lacks(fault, index));
    const others = Array.from({ length: story.otherRunners }, (_, index) => otherRunner(index));
    const rows = [...others, ...ours];
    const isHonest = fault?.what.endsWith("honest") === true;
    const from = (Number(page) - 1) * PAGE_SIZE;
    const total = others.length + (isHonest ? all.length : ours.length);
    return says(200, { total_count: total, runners: rows.slice(from, from + PAGE_SIZE) });
  }

  #runnerRow(runner: RunnerInWorld, at: number): object {
    const { box, id, name, onlineAt } = runner;
    const isHidden = box?.host.stuckAs === "422" && runner.job === undefined;
    const isBusy = isHeld(runner, at) && !isHidden;
    const isConnected = box !== undefined && onlineAt <= at && isUp(box, at) && !isAway(box, at);
    const status = isConnected ? "online" : "offline";
    return { id, name, status, busy: isBusy, labels: [{ name: RUNNER_LABEL }] };
  }

  #jobs({ page = 1 }: Readonly<Record<string, unknown>>, fault: Fault | undefined): GithubSays {
    const { now, story } = this.#world;
    const at = now - (fault?.what === "old" ? fault.detail : story.jobsLagS) * 1000;
    const all = this.#world.jobs.filter(({ appearedAt }) => appearedAt <= at);
    const shown = all.filter((_, index) => !lacks(fault, index));
    for (const job of shown) job.shownAt = Math.min(job.shownAt, now);
    const rows = [...this.#others(at), ...shown.map((job) => this.#jobRow(job, at))];
    const isHonest = fault?.what.endsWith("honest") === true;
    const from = (Number(page) - 1) * PAGE_SIZE;
    const total = rows.length + (isHonest ? all.length - shown.length : 0);
    return says(200, { total_count: total, jobs: rows.slice(from, from + PAGE_SIZE) });
  }

  #cancel(): GithubSays {
    this.#world.cancelRun();
    return says(202, {});
  }

  #job(id: number): GithubSays {
    const at = this.#world.now - this.#world.story.jobsLagS * 1000;
    const job = this.#world.jobs.find((each) => each.id === id && each.appearedAt <= at);
    return job === undefined ? says(404, NOT_FOUND) : says(200, this.#jobRow(job, at));
  }

  /** This very job, and another of the run that is open for a while. */
  #others(at: number): object[] {
    const base = { conclusion: null, labels: ["ubuntu-latest"], created_at: this.#iso(0), started_at: this.#iso(0) };
    const isOpen = at < this.#world.story.othersUntilS * 1000;
    const fillers = Array.from({ length: this.#world.story.otherJobs }, (_, index) => ({
      ...base,
      ...{ id: 1000 + index, name: `lint ${index + 1}`, status: "completed", conclusion: "success" },
    }));
    const lint = { ...base, id: 2, name: "lint", status: isOpen ? "in_progress" : "completed" };
    const own = { ...base, id: 1, name: "rent", status: "in_progress", runner_id: 900, runner_name: "hosted-1" };
    const shown = this.#world.story.othersUntilS > 0 ? [{ ...lint, conclusion: isOpen ? null : "success" }] : [];
    return [own, ...shown, ...fillers];
  }

  #jobRow(job: JobInWorld, at: number): object {
    const status = statusAt(job, at);
    const isStarted = job.startedAt <= at;
    const isOver = status === "completed";
    return {
      id: job.id,
      name: job.name,
      status,
      conclusion: isOver ? job.conclusion : null,
      labels: job.story.asksForMore ? [RUNNER_LABEL, "self-hosted"] : [RUNNER_LABEL],
      runner_id: isStarted ? job.runner?.id : null,
      runner_name: isStarted ? job.runner?.name : null,
      html_url: `https://github.example/job/${job.id}`,
      created_at: this.#iso(job.appearedAt),
      started_at: isStarted ? this.#iso(job.startedAt) : null,
      completed_at: isOver ? this.#iso(job.overAt) : null,
    };
  }

  #iso(at: number): string {
    return `${new Date(this.#start + at).toISOString().slice(0, 19)}Z`;
  }
}

function statusAt({ overAt, queuedAt, startedAt }: JobInWorld, at: number): string {
  if (overAt <= at) return "completed";
  if (startedAt <= at) return "in_progress";
  return queuedAt <= at ? "queued" : "waiting";
}

function placeOf({ method, path }: GithubAsks): Where {
  if (method === "POST" && path.endsWith("/generate-jitconfig")) return "register";
  if (path.includes("/actions/runners")) return method === "DELETE" ? "remove" : "runners";
  return path.endsWith("/cancel") ? "cancel" : "jobs";
}

function otherRunner(index: number): object {
  return { id: 100_000 + index, name: `other-${index}`, status: "online", busy: true, labels: [{ name: "other" }] };
}
