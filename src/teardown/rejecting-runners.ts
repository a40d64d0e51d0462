import { join } from "node:path";
import type { RunnersPort } from "../create/rent.ts";
import type { Clock } from "../shared/clock.ts";
import { UserError } from "../shared/user-error.ts";
import { PROGRAM, REFUSAL } from "./runner-program.ts";
import type { SandboxUser } from "./sandbox-user.ts";

/** Runners that are to refuse one job each. */
export interface Refusing {
  /** With the runner program in its folder. */
  user: SandboxUser;
  /** So many runners. */
  count: number;
  /** Their names begin with it; a number follows. */
  runnerNamePrefix: string;
  runners: Pick<RunnersPort, "registerRunner">;
  clock: Clock;
  /** When those that still run are ended, in ms since the epoch. */
  until: number;
  /** None begins after it. */
  signal: AbortSignal;
}

/** How far they have come. */
export interface Turns {
  /** So many had their turn. */
  begun: number;
  /** Of the runners that were registered, as they are. */
  readonly runnerIds: number[];
  /** Why the others have none. */
  why?: string;
  /** The last words of the one that ended last. */
  said?: string;
  /** In ms since the epoch; undefined while one runs or is to come. */
  endedAt?: number;
}

/**
 * A runner is two .NET programs, and a hosted machine may have two cores: the runners of a large
 * matrix, all at once, would leave it no memory. GitHub takes eighty such requests a minute, too.
 */
const AT_A_TIME = 4;

const VARIABLES = {
  // The runner then fails a job before it downloads an action or runs a step: a hook alone would
  // let `if: always()` steps run.
  ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER: "true",
  DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1",
};
/** Each runner has the folder to itself, made anew of links: that takes no room, and no time. */
const SCRIPT = [
  `rm --recursive --force "$HOME" && mkdir "$HOME" && cd "$HOME" && cp --archive --link ../${PROGRAM}/. .`,
  "IFS= read -r ACTIONS_RUNNER_INPUT_JITCONFIG && export ACTIONS_RUNNER_INPUT_JITCONFIG",
  "exec bin/Runner.Listener run </dev/null",
].join(" && ");

/**
 * Runs them, a few at a time, each next one when one is over, and writes down how far they are.
 * Ends when all are over, with the signal, or after the first that could not be registered and
 * those that run then.
 */
export async function refuseInTurn(refusing: Refusing, turns: Turns): Promise<void> {
  const { clock, count, signal } = refusing;
  const stopped = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const folders = Array.from({ length: Math.min(AT_A_TIME, count) }, (_, index) => `runner-${index + 1}`);
  await Promise.all(folders.map((folder) => oneAfterAnother(refusing, turns, { folder, stopped })));
  turns.endedAt = clock.now();
}

interface Place {
  /** That of one runner after another. */
  folder: string;
  /** Resolves with the signal. */
  stopped: Promise<undefined>;
}

async function oneAfterAnother(refusing: Refusing, turns: Turns, place: Place): Promise<void> {
  const { count, signal } = refusing;
  while (!signal.aborted && turns.why === undefined && turns.begun < count) {
    try {
      await takeTurn(refusing, turns, place);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UserError)) throw error;
      turns.why ??= error.message;
    }
  }
}

async function takeTurn(refusing: Refusing, turns: Turns, { folder, stopped }: Place): Promise<void> {
  const { runnerNamePrefix, runners, signal } = refusing;
  turns.begun += 1;
  const { id, jitConfig } = await runners.registerRunner(`${runnerNamePrefix}-${turns.begun}`, signal);
  turns.runnerIds.push(id);
  signal.throwIfAborted();
  const said = await Promise.race([start(refusing, folder, jitConfig), stopped]);
  if (said !== undefined) turns.said = said;
}

function start({ clock, until, user }: Refusing, folder: string, secret: string): Promise<string> {
  const seconds = Math.max(1, Math.ceil((until - clock.now()) / 1000));
  const home = join(user.folder, folder);
  const variables = { ...VARIABLES, HOME: home, ACTIONS_RUNNER_HOOK_JOB_STARTED: join(home, REFUSAL) };
  return user.start({ script: SCRIPT, secret, variables, seconds });
}
