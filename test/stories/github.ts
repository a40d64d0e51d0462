import { GITHUB_SAYS, PAGE, type Said, type Scene, shownOf } from "./answers.ts";
import type { Fault, Where } from "./fault.ts";
import { type GithubAsks, type GithubSays, RUNNER_LABEL } from "./outside.ts";
import { isAway, isHeld, isUp, type JobInWorld, type RunnerInWorld } from "./things.ts";

const PAGE_SIZE = 100;

const says = (status: number, json: unknown): Said => ({ status, json });
const NOT_FOUND = GITHUB_SAYS["404"] as Said;

/** GitHub, as it answers requests. */
export class GithubInWorld {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** What was so when the request came, even if the answer takes a while. Undefined: no answer. */
  async serve(asks: GithubAsks): Promise<GithubSays | undefined> {
    const place = placeOf(asks);
    const said = this.#say(place, asks);
    const { jobsTakeS } = this.#scene.world.story;
    if (place === "jobs" && jobsTakeS > 0) await this.#scene.clock.sleep(jobsTakeS * 1000);
    const date = new Date(this.#scene.clock.now()).toUTCString();
    return said && { ...said, headers: { date, ...said.headers } };
  }

  #say(place: Where, asks: GithubAsks): GithubSays | undefined {
    const { faults, hears, world } = this.#scene;
    hears({ what: "asks GitHub" });
    const fault = faults.meet([place, asks.token], world.now, !/\/\d+$/.test(asks.path));
    if (fault !== undefined) world.note(`${asks.method} ${asks.path}: ${fault.what}`);
    if (fault?.what === "lost") return undefined;
    const refusal = fault && GITHUB_SAYS[fault.what];
    const { headers = {}, json = PAGE, status } = refusal ?? this.#carryOut(place, asks, fault);
    if (fault?.what === "lost after") return undefined;
    if (refusal !== undefined || asks.method !== "GET" || status !== 200) return { status, data: json, headers };
    const etag = JSON.stringify(json);
    return asks.etag === etag ? { status: 304, data: "", headers } : { status, data: json, headers: { etag } };
  }

  #carryOut(place: Where, { parameters, path }: GithubAsks, fault: Fault | undefined): Said {
    const id = Number(/\/(\d+)$/.exec(path)?.[1]);
    const isOne = !Number.isNaN(id);
    if (place === "register") return this.#register(String(parameters.name));
    if (place === "remove") return this.#remove(id);
    if (place === "runners") return isOne ? this.#runner(id) : this.#runners(parameters, fault);
    if (place === "jobs") return isOne ? this.#job(id) : this.#jobs(parameters, fault);
    this.#scene.world.cancelRun();
    return says(202, {});
  }

  #register(name: string): Said {
    const { world } = this.#scene;
    if (this.#registered().some((runner) => runner.name === name)) return GITHUB_SAYS["409"] as Said;
    const runner = world.register(name);
    return says(201, { encoded_jit_config: `jit-${runner.id}`, runner: runnerRow(runner, world.now) });
  }

  #remove(id: number): Said {
    const { hears, world } = this.#scene;
    const runner = world.runners.find((each) => each.id === id);
    if (runner === undefined || runner.goneAt <= world.now) return NOT_FOUND;
    const isInVain = world.isUndeletable(runner);
    if (isInVain) hears({ what: "removes in vain", runner });
    else world.remove(runner);
    const message = `Runner ${id} is currently running a job and cannot be deleted`;
    return isInVain ? says(422, { message }) : says(204, {});
  }

  #registered(at = this.#scene.world.now): RunnerInWorld[] {
    return this.#scene.world.runners.filter(({ goneAt, registeredAt }) => registeredAt <= at && goneAt > at);
  }

  /** When what a list says was so. */
  #asOf(lagS: number, fault?: Fault): number {
    return this.#scene.world.now - (fault?.what === "old" ? fault.detail : lagS) * 1000;
  }

  #runner(id: number): Said {
    const at = this.#asOf(this.#scene.world.story.runnersLagS);
    const runner = this.#registered(at).find((each) => each.id === id);
    return runner === undefined ? NOT_FOUND : says(200, runnerRow(runner, at));
  }

  #runners({ page }: GithubAsks["parameters"], fault: Fault | undefined): Said {
    const { otherRunners, runnersLagS } = this.#scene.world.story;
    const at = this.#asOf(runnersLagS, fault);
    const { shown, told } = shownOf(this.#registered(at), fault);
    const rows = [...some(otherRunners, otherRunner), ...shown.map((runner) => runnerRow(runner, at))];
    return says(200, { total_count: rows.length + told, runners: onPage(rows, page) });
  }

  #jobs({ page }: GithubAsks["parameters"], fault: Fault | undefined): Said {
    const { jobs, now, story } = this.#scene.world;
    const at = this.#asOf(story.jobsLagS, fault);
    const there = jobs.filter(({ appearedAt }) => appearedAt <= at);
    const { shown, told } = shownOf(there, fault);
    for (const job of shown) job.shownAt = Math.min(job.shownAt, now);
    const rows = [...this.#others(at), ...shown.map((job) => this.#jobRow(job, at))];
    return says(200, { total_count: rows.length + told, jobs: onPage(rows, page) });
  }

  #job(id: number): Said {
    const { jobs, story } = this.#scene.world;
    const at = this.#asOf(story.jobsLagS);
    const job = jobs.find((each) => each.id === id && each.appearedAt <= at);
    return job === undefined ? NOT_FOUND : says(200, this.#jobRow(job, at));
  }

  /** This very job, and others of the run, of which one is open for a while. */
  #others(at: number): object[] {
    const { otherJobs, othersUntilS } = this.#scene.world.story;
    const base = { conclusion: null, labels: ["ubuntu-latest"], created_at: this.#iso(0), started_at: this.#iso(0) };
    const open = { ...base, status: "in_progress" };
    const over = { ...base, status: "completed", conclusion: "success" };
    const own = { ...open, id: 1, name: "rent", runner_id: 900, runner_name: "hosted-1" };
    const lint = { ...(at < othersUntilS * 1000 ? open : over), id: 2, name: "lint" };
    const fillers = some(otherJobs, (index) => ({ ...over, id: 1000 + index, name: `lint ${index + 1}` }));
    return [own, ...(othersUntilS > 0 ? [lint] : []), ...fillers];
  }

  #jobRow(job: JobInWorld, at: number): object {
    const { appearedAt, conclusion, id, name, overAt, queuedAt, runner, startedAt, story } = job;
    const [isStarted, isOver] = [startedAt <= at, overAt <= at];
    const waits = queuedAt <= at ? "queued" : "waiting";
    return {
      ...{ id, name, status: isOver ? "completed" : isStarted ? "in_progress" : waits },
      conclusion: isOver ? conclusion : null,
      labels: story.asksForMore ? [RUNNER_LABEL, "self-hosted"] : [RUNNER_LABEL],
      runner_id: isStarted ? runner?.id : null,
      runner_name: isStarted ? runner?.name : null,
      html_url: `https://github.example/job/${id}`,
      created_at: this.#iso(appearedAt),
      started_at: isStarted ? this.#iso(startedAt) : null,
      completed_at: isOver ? this.#iso(overAt) : null,
    };
  }

  #iso(at: number): string {
    return `${new Date(this.#scene.clock.start + at).toISOString().slice(0, 19)}Z`;
  }
}

function runnerRow(runner: RunnerInWorld, at: number): object {
  const { box, id, job, name, onlineAt } = runner;
  const isHidden = box?.host.stuckAs === "422" && job === undefined;
  const isConnected = box !== undefined && onlineAt <= at && isUp(box, at) && !isAway(box, at);
  const status = isConnected ? "online" : "offline";
  return { id, name, status, busy: isHeld(runner, at) && !isHidden, labels: [{ name: RUNNER_LABEL }] };
}

function otherRunner(index: number): object {
  return { id: 100_000 + index, name: `other-${index}`, status: "online", busy: true, labels: [{ name: "other" }] };
}

function some(count: number, each: (index: number) => object): object[] {
  return Array.from({ length: count }, (_, index) => each(index));
}

function onPage(rows: readonly object[], page: unknown = 1): object[] {
  const from = (Number(page) - 1) * PAGE_SIZE;
  return rows.slice(from, from + PAGE_SIZE);
}

function placeOf({ method, path }: GithubAsks): Where {
  if (method === "POST" && path.endsWith("/generate-jitconfig")) return "register";
  if (path.includes("/actions/runners")) return method === "DELETE" ? "remove" : "runners";
  return path.endsWith("/cancel") ? "cancel" : "jobs";
}
