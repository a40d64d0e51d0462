import type { SimClock } from "../clock/sim-clock.ts";
import { serveHttp } from "../http/serve-http.ts";
import { sayThatItFailed, serve } from "./http/serve.ts";
import type { Runner, RunnerAnswer } from "./runners/runners.ts";
import { controlOf } from "./runs/run-control.ts";
import type { RunSpec } from "./runs/run-record.ts";
import { newAccount, newToken, type TokenSpec } from "./tokens.ts";
import { buildWorld, type World } from "./world.ts";

/** How a stand-in is started; everything but the clock has a default. */
export interface GithubOptions {
  clock: SimClock;
  /** Default 0: any free one. */
  port?: number;
  log?: (line: string) => void;
  /** Repositories that exist without a run (default octo/gpu-lib). */
  repositories?: readonly string[];
  /** More tokens, by their value. */
  tokens?: Readonly<Record<string, TokenSpec>>;
}

/** A running stand-in for GitHub; its API also answers under `/api/v3`. */
export type GithubStandIn = Awaited<ReturnType<typeof startGithub>>;

/** Starts a stand-in for GitHub on 127.0.0.1. It lives until it is disposed of. */
export async function startGithub(options: GithubOptions) {
  const world = buildWorld(options.clock, options.log ?? (() => {}));
  const [runnerToken, jobToken] = [newToken("github_pat_"), newToken("ghs_")];
  const tokens: Readonly<Record<string, TokenSpec>> = {
    [runnerToken]: { name: "runner", kind: "personal", permissions: { administration: "write" } },
    [jobToken]: { name: "job", kind: "integration", permissions: { actions: "write" }, limit: 1_000 },
    ...options.tokens,
  };
  for (const [token, spec] of Object.entries(tokens)) world.tokens.set(token, newAccount(spec));
  for (const name of options.repositories ?? ["octo/gpu-lib"]) world.repositories.declare(name);
  const server = await serveHttp({
    port: options.port ?? 0,
    handle: (exchange) => serve(world, exchange),
    failed: (fault, exchange) => sayThatItFailed(world, fault, exchange),
  });
  world.url = server.url;
  return {
    /** GITHUB_API_URL. */
    url: world.url,
    /** A person's token that may register runners: administration write. */
    runnerToken,
    /** A workflow's token: actions write, no administration. */
    jobToken,
    journal: world.journal,
    /** A person's login, environments, secrets, apps. */
    setup: world.setup,
    ...handsOnRuns(world),
    ...handsOnRunners(world),
    ...handsOnRequests(world),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function handsOnRuns({ runs, repositories }: World) {
  return {
    /** Adds one attempt of a run; throws when its description is wrong. */
    addRun: (spec: RunSpec) => controlOf(runs, runs.add(spec)),
    /** All attempts, oldest first, those added over HTTP too. */
    runs: () => runs.all().map((run) => controlOf(runs, run)),
    /** The id of a repository, owner/name. */
    repositoryId: (repository: string) => repositories.declare(repository).id,
    /** As if someone pushed a commit to a branch, or removed it. */
    moveBranch: (repository: string, branch: string, commit: string | undefined) =>
      void repositories.declare(repository).moved.set(branch, commit),
  };
}

const OTHER = { labels: ["other"], groupId: 1, workFolder: "_work" };

function handsOnRunners(world: World) {
  const { runners, dispatcher } = world;
  // What is over serves nobody, and only the API still shows it.
  const serving = () => runners.all().filter(({ goneAt }) => goneAt === null);
  return {
    /**
     * All registered runners that still serve, oldest first; `job`: the name of what each was given,
     * `machine`: the folder of the machine whose listener is connected, if it told.
     */
    runners: () =>
      serving().map((runner) => {
        const { id, name, labels, job, session } = runner;
        return { id, name, labels, online: dispatcher.isOnline(runner), job: job?.name, machine: session?.machine };
      }),
    /** Registers so many runners of somebody else with a repository, `other-1` and so on, all offline. */
    addOthers(repository: string, count: number) {
      for (let index = 1; index <= count; index += 1)
        runners.register({ ...OTHER, home: repository.toLowerCase(), name: `other-${index}` });
    },
    /** The records of all that there ever were, oldest first. */
    runnersEver: (): readonly Runner[] => runners.ever,
    /** The server forgets a runner, whatever it does. */
    dropRunner(id: number) {
      const runner = runners.find(id);
      if (runner) dispatcher.drop(runner);
    },
    /** Gives no job to a runner for which this says so, as long as it does. */
    holdBack(isHeldBack: (runnerName: string) => boolean) {
      dispatcher.isHeldBack = ({ name }) => isHeldBack(name);
    },
    /** Replaces what listeners are answered beside the usual; may be called at any time. */
    answerRunners(answers: readonly RunnerAnswer[]) {
      world.runnerAnswers = answers;
    },
  };
}

function handsOnRequests({ tokens, faults, runnerPackage }: World) {
  const account = (token: string) => {
    const found = tokens.get(token);
    if (found === undefined) throw new Error("The stand-in does not know this token.");
    return found;
  };
  return {
    /** Replaces all faults; may be called at any time. */
    setFaults: faults.set,
    arrived: faults.arrived,
    /** How many requests of a token counted against its rate limit so far. */
    counted: (token: string) => account(token).counted,
    /** Changes how many requests an hour a token has. */
    setRateLimit(token: string, limit: number) {
      account(token).limit = limit;
    },
    /** Publishes this SHA-256 of the runner archives: undefined the true one, null none. */
    publishSha256(sha256: string | null | undefined) {
      runnerPackage.publishedSha256 = sha256;
    },
  };
}
