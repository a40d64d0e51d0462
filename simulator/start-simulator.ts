import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countLivedTime } from "./clock/lived-time.ts";
import { scaledClock } from "./clock/sim-clock.ts";
import { startGithub } from "./github/start-github.ts";
import type { TokenSpec } from "./github/tokens.ts";
import { localMachines } from "./machine/local-machines.ts";
import { startRegistry } from "./registry/start-registry.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { startService } from "./service/start-service.ts";
import type { Dialect } from "./service/traffic/refusal.ts";

/** How a simulated world is started; everything has a default. */
export interface SimulatorOptions {
  dialect?: Dialect;
  /** The market, the faults, the account. */
  scenario?: Scenario;
  /** How much faster than the wall clock time runs, for all parts (default 1). */
  factor?: number;
  /** Default 0: any free one. */
  servicePort?: number;
  githubPort?: number;
  /** More tokens that GitHub knows, and what they may do. */
  githubTokens?: Readonly<Record<string, TokenSpec>>;
  /** Whether instances have a local process that runs their onstart (default true; Linux only). */
  machines?: boolean;
  /** Whether they answer by SSH, where this computer has OpenSSH's server (default false). */
  ssh?: boolean;
  /** A folder for the machines' disks; default: a temporary one, removed at the end. */
  root?: string;
  /** Gets one line per request and per event of a machine; never a secret. */
  log?: (line: string) => void;
}

/** The service, GitHub, a registry and the machines, in one time. Disposing ends all of them. */
export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

const PRELOAD = new URL("clock/preload.mjs", import.meta.url).href;

/** Starts all parts; when one can't start (port, scenario), ends the others and throws. */
export async function startSimulator(options: SimulatorOptions = {}) {
  const { dialect, scenario, factor = 1, servicePort = 0, githubPort = 0, log = () => {} } = options;
  await using starting = new AsyncDisposableStack();
  const folder = temporaryFolder(starting);
  // Real time stays what it is.
  const lived = factor === 1 ? undefined : starting.use(countLivedTime(join(folder, "lived-time")));
  const clock = scaledClock(factor, Date.now(), lived);
  const tokens = options.githubTokens ?? {};
  const tellGithub = (line: string) => log(`github: ${line}`);
  const github = starting.use(await startGithub({ clock, port: githubPort, tokens, log: tellGithub }));
  const registry = starting.use(await startRegistry(scenario?.registry, clock));
  const { root = folder, ssh = false } = options;
  const machines = options.machines === false ? undefined : starting.use(localMachines({ root, clock, ssh, log }));
  // Last, so that it is ended first: no container starts any more when the machines end.
  const service = starting.use(
    await startService({
      clock,
      port: servicePort,
      log: (line) => log(`service: ${line}`),
      ...(dialect && { dialect }),
      ...(scenario && { scenario }),
      ...(machines && { machines }),
    }),
  );
  const running = starting.move();
  return {
    ...{ clock, service, github, registry },
    /** Undefined where no machines were asked for. */
    machines,
    /** The variables that put a Node child into simulated time. No other NODE_OPTIONS are kept. */
    childEnv: () => ({ ...clock.childEnv(), NODE_OPTIONS: `--import=${PRELOAD}` }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function temporaryFolder(ending: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), "simulator-"));
  ending.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
