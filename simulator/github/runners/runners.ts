import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import type { SimClock } from "../../clock/sim-clock.ts";
import type { Job } from "../runs/run-record.ts";

/** A registered runner. Each one is single-use, as all runners of a JIT configuration are. */
export interface Runner {
  readonly id: number;
  /** Its place in small letters: `owner/name` of a repository, or an organisation's name. */
  readonly home: string;
  readonly name: string;
  /** As GitHub stores them: lower case, each once, none implicit. */
  readonly labels: readonly string[];
  readonly groupId: number;
  readonly workFolder: string;
  /** Proves that a listener has this runner's configuration; never shown. */
  readonly secret: string;
  /** Unknown until its listener connected once. */
  version: string | null;
  session: Session | null;
  /** The job it was given, whether or not it has begun. */
  job: Job | null;
  /** When its first listener connected. */
  onlineAt: number | null;
  /** The folder of the machine on which it began its job, if that told. */
  machine: string | undefined;
  /** When it was forgotten or its job was over: it serves no other, and its record goes soon. */
  goneAt: number | null;
  /** A request asked for its end, whether or not the answer arrived. */
  isTakenAway: boolean;
}

type Registration = Pick<Runner, "home" | "name" | "labels" | "groupId" | "workFolder">;

/** The registered runners; one that is not here any more is gone for good. */
export type Runners = ReturnType<typeof openRunners>;

/** Opens the registrations. */
export function openRunners() {
  let runners: Runner[] = [];
  const ever: Runner[] = [];
  let lastId = 20;
  /** All registered runners, oldest first; those of one repository or organisation if given. */
  const all = (home?: string) => runners.filter((runner) => home === undefined || runner.home === home);
  return {
    all,
    /** Those that there ever were, oldest first. */
    ever,
    /** Registers a runner, offline and without a job. */
    register(asked: Registration): Runner {
      lastId += 1;
      const labels = [...new Set(asked.labels.map((label) => label.toLowerCase()))];
      const fresh = { secret: randomUUID(), version: null, session: null, job: null };
      const times = { onlineAt: null, machine: undefined, goneAt: null, isTakenAway: false };
      const runner: Runner = { ...asked, labels, id: lastId, ...fresh, ...times };
      runners.push(runner);
      ever.push(runner);
      return runner;
    },
    /** Forgets a runner. */
    remove(runner: Runner): void {
      runners = runners.filter((each) => each !== runner);
    },
    /** Finds a runner, of a repository or organisation if given. */
    find: (id: number, home?: string) => all(home).find((runner) => runner.id === id),
    /** Finds the runner whose configuration holds this secret, unless its job is over. */
    bySecret: (secret: string) => runners.find((runner) => runner.secret === secret && runner.goneAt === null),
  };
}

/** Told to a listener: nothing yet, its job, the job's end, or that it is unregistered. */
export type Message = "none" | "job" | "cancel" | "gone";

interface Session {
  readonly id: string;
  /** The folder of its machine, if it told. */
  readonly machine: string | undefined;
  /** Simulated milliseconds: when the listener was last heard. */
  seenAt: number;
  /** Real milliseconds, for the grace below. */
  seenAtReal: number;
  /** Ends the long poll that is open now. */
  answer: ((message: Message) => void) | null;
}

/** A runner that went away is offline after about a minute. SPEC-SILENT: the exact time. */
const SILENT_AFTER_MS = 30_000;
/** On a fast clock a busy computer polls late in simulated time, which is no silence. */
const REAL_GRACE_MS = 3_000;

/** Starts the record of a listener that has just connected. */
export function newSession(clock: SimClock, machine?: string): Session {
  return { id: randomUUID(), machine, seenAt: clock.now(), seenAtReal: Date.now(), answer: null };
}

/** Notes that the listener was heard just now; without the real grace where it went away in the middle of a poll. */
export function heard(session: Session, clock: SimClock, hasGrace = true): void {
  session.seenAt = clock.now();
  session.seenAtReal = hasGrace ? Date.now() : Number.NEGATIVE_INFINITY;
}

/** Says whether a listener has been silent for so long that GitHub shows its runner as offline. */
export function isSilent(session: Session, clock: SimClock): boolean {
  if (session.answer !== null) return false;
  return clock.now() - session.seenAt > SILENT_AFTER_MS && Date.now() - session.seenAtReal > REAL_GRACE_MS;
}

/** GitHub's name of each part of an RSA key, and that of JSON Web Keys. */
const RSA_PARTS = { d: "d", dp: "dp", dq: "dq", exponent: "e", inverseQ: "qi", modulus: "n", p: "p", q: "q" } as const;
let rsaKey: Record<string, string> | undefined;

/** The key of every configuration here: a real one, because the official runner signs with it. One is enough, and slow to make. */
function rsaParts(): Record<string, string> {
  if (rsaKey) return rsaKey;
  const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" });
  const plain = (part: string | undefined) => Buffer.from(part ?? "", "base64url").toString("base64");
  rsaKey = Object.fromEntries(Object.entries(RSA_PARTS).map(([part, jwk]) => [part, plain(key[jwk])]));
  return rsaKey;
}

/**
 * Makes a runner's single-use configuration: base64 of JSON, file name to base64 content, about 4.1
 * kB. A secret: whoever has it can take the runner's job.
 */
export function jitConfig(runner: Runner, serverUrl: string): string {
  const settings = {
    AgentId: String(runner.id),
    AgentName: runner.name,
    DisableUpdate: "True",
    Ephemeral: true,
    PoolId: String(runner.groupId),
    PoolName: "Default",
    ServerUrl: serverUrl,
    WorkFolder: runner.workFolder,
    GitHubUrl: `https://github.com/${runner.home}`,
    UseV2Flow: true,
    ServerUrlV2: serverUrl,
  };
  const tenant = `${serverUrl}/_runner/${randomBytes(20).toString("hex")}`;
  const credentials = {
    Scheme: "OAuth",
    Data: {
      ClientId: runner.secret,
      AuthorizationUrl: `${tenant}/_apis/oauth2/token/${randomUUID()}`,
      AuthorizationUrlV2: `${tenant}/oauth/token`,
      RequireFipsCryptography: "True",
    },
  };
  return base64({
    ".runner": base64(settings),
    ".credentials": base64(credentials),
    ".credentials_rsaparams": base64(rsaParts()),
  });
}

function base64(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString("base64");
}

/** A status that listeners get instead of what they asked for. */
export interface RunnerAnswer {
  readonly request: "session" | "message" | "acquire" | "complete";
  readonly status: number;
  /** The runner's job is given to no other any more, as one whose worker hung (actions/runner#4598). */
  readonly binds?: boolean;
}
