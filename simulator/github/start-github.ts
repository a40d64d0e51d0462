import type { SimClock } from "../clock/sim-clock.ts";
import { serveHttp } from "../http/serve-http.ts";
import type { Fault } from "./faults.ts";
import { sayThatItFailed, serve } from "./http/serve.ts";
import type { Journal } from "./journal.ts";
import type { OperationName } from "./operation-name.ts";
import type { RunnerAnswer } from "./runners/runners.ts";
import { RunControl } from "./runs/run-control.ts";
import type { RunSpec } from "./runs/run-record.ts";
import type { SetupWorld } from "./setup/setup-world.ts";
import { newToken, type TokenSpec } from "./tokens.ts";
import { World } from "./world.ts";

/** How a stand-in is started; everything but the clock has a default. */
export interface GithubOptions {
  clock: SimClock;
  /** Default 0: any free one. */
  port?: number;
  log?: (line: string) => void;
  /** Repositories that exist without a run (default octo/gpu-lib). */
  repositories?: readonly string[];
  /** Fixed values of the two tokens, for people who start it by hand again and again. */
  runnerToken?: string;
  jobToken?: string;
  /** More tokens, by their value. */
  tokens?: Readonly<Record<string, TokenSpec>>;
}

/** A registered runner as a test sees it. */
export interface RunnerView {
  readonly id: number;
  readonly name: string;
  readonly labels: readonly string[];
  readonly online: boolean;
  /** The name of the job that it was given. */
  readonly job: string | undefined;
  /** The folder of the machine whose listener is connected, if it told. */
  readonly machine: string | undefined;
}

/** A running stand-in for GitHub. */
export interface GithubStandIn extends AsyncDisposable {
  /** GITHUB_API_URL; the API also answers under `/api/v3`. */
  readonly url: string;
  /** A person's token that may register runners: administration write. */
  readonly runnerToken: string;
  /** A workflow's token: actions write, no administration. */
  readonly jobToken: string;
  readonly journal: Journal;
  /** A person's login, environments, secrets, apps. */
  readonly setup: SetupWorld;
  /** Adds one attempt of a run; throws when its description is wrong. */
  addRun(spec: RunSpec): RunControl;
  /** The id of a repository, owner/name. */
  repositoryId(repository: string): number;
  /** All attempts, oldest first, those added over HTTP too. */
  runs(): RunControl[];
  /** All registered runners, oldest first. */
  runners(): RunnerView[];
  /** Registers so many runners of somebody else with a repository, `other-1` and so on, all offline. */
  addOthers(repository: string, count: number): void;
  /** Whether a runner went because a request asked for it, and not with its job. */
  wasTakenAway(id: number): boolean;
  /** As if someone pushed a commit to a branch, or removed it. */
  moveBranch(repository: string, branch: string, commit: string | undefined): void;
  /** The server forgets a runner, whatever it does. */
  dropRunner(id: number): void;
  /** Gives no job to a runner for which this says so, as long as it does. */
  holdBack(isHeldBack: (runnerName: string) => boolean): void;
  /** Replaces all faults; may be called at any time. */
  setFaults(faults: readonly Fault[]): void;
  /** Replaces what listeners are answered beside the usual; may be called at any time. */
  answerRunners(answers: readonly RunnerAnswer[]): void;
  /** Requests of an operation since the faults were set, with those that wait for their answer. */
  arrived(operation: OperationName): number;
  /** How many requests of a token counted against its rate limit so far. */
  counted(token: string): number;
  /** Changes how many requests an hour a token has. */
  setRateLimit(token: string, limit: number): void;
  /** Publishes this SHA-256 of the runner archives: undefined the true one, null none. */
  publishSha256(sha256: string | null | undefined): void;
  /** Whether the download URL redirects, as GitHub's does (default true). */
  redirectDownloads(redirects: boolean): void;
}

/** Starts a stand-in for GitHub on 127.0.0.1. It lives until it is disposed of. */
export async function startGithub(options: GithubOptions): Promise<GithubStandIn> {
  const world = new World(options.clock, options.log ?? (() => {}));
  const { runnerToken = newToken("github_pat_"), jobToken = newToken("ghs_") } = options;
  world.tokens.add(runnerToken, { name: "runner", kind: "personal", permissions: { administration: "write" } });
  world.tokens.add(jobToken, { name: "job", kind: "integration", permissions: { actions: "write" }, limit: 1_000 });
  for (const [token, spec] of Object.entries(options.tokens ?? {})) world.tokens.add(token, spec);
  for (const name of options.repositories ?? ["octo/gpu-lib"]) world.repositories.declare(name);
  const server = await serveHttp({
    port: options.port ?? 0,
    handle: (exchange) => serve(world, exchange),
    failed: (fault, exchange) => sayThatItFailed(world, fault, exchange),
  });
  world.url = server.url;
  return {
    ...{ url: world.url, runnerToken, jobToken, journal: world.journal, setup: world.setup },
    ...handsOn(world),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const OTHER = { labels: ["other"], groupId: 1, workFolder: "_work" };

function handsOn(world: World) {
  const account = (token: string) => {
    const found = world.tokens.find(token);
    if (found === undefined) throw new Error("The stand-in does not know this token.");
    return found;
  };
  return {
    addRun: (spec: RunSpec) => new RunControl(world.runs, world.runs.add(spec)),
    repositoryId: (repository: string) => world.repositories.declare(repository).id,
    runs: () => world.runs.all().map((run) => new RunControl(world.runs, run)),
    runners: () =>
      world.runners.all().flatMap((runner): RunnerView[] => {
        // What is over serves nobody, and only the API still shows it.
        if (runner.isOver) return [];
        const { id, name, labels, job, session } = runner;
        const online = world.dispatcher.isOnline(runner);
        return [{ id, name, labels, online, job: job?.name, machine: session?.machine }];
      }),
    addOthers: (repository: string, count: number) => {
      for (let index = 1; index <= count; index += 1)
        world.runners.register({ ...OTHER, home: repository.toLowerCase(), name: `other-${index}` });
    },
    wasTakenAway: (id: number) => world.runners.takenAway.has(id),
    moveBranch: (repository: string, branch: string, commit: string | undefined) =>
      world.branches.move(repository, branch, commit),
    dropRunner: (id: number) => {
      const runner = world.runners.all().find((candidate) => candidate.id === id);
      if (runner) world.dispatcher.drop(runner);
    },
    holdBack: (isHeldBack: (runnerName: string) => boolean) => {
      world.dispatcher.isHeldBack = ({ name }) => isHeldBack(name);
    },
    setFaults: (faults: readonly Fault[]) => world.faults.set(faults),
    answerRunners: (answers: readonly RunnerAnswer[]) => world.runnerAnswers.set(answers),
    arrived: (operation: OperationName) => world.faults.arrived(operation),
    counted: (token: string) => account(token).counted,
    setRateLimit: (token: string, limit: number) => {
      account(token).limit = limit;
    },
    publishSha256: (sha256: string | null | undefined) => {
      world.runnerPackage.publishedSha256 = sha256;
    },
    redirectDownloads: (redirects: boolean) => {
      world.runnerPackage.redirects = redirects;
    },
  };
}
