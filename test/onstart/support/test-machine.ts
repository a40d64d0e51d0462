import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { countLivedTime } from "../../../simulator/clock/lived-time.ts";
import { readIfThere } from "../../../simulator/machine/read-if-there.ts";
import { startKeeper } from "../../../simulator/machine/start-keeper.ts";
import { endTagged, findTagged } from "../../../simulator/machine/tagged-processes.ts";
import { packText } from "../../../src/machine/script/pack-text.ts";
import { FIGURES, ONSTART, WORK } from "../../../src/machine/script/packed.ts";
import { callLog } from "./call-log.ts";
import { type Image, makeImage, onOwnSystem } from "./image.ts";
import { runnerTarball, takesJob } from "./listener.ts";
import { type StandInService, standInService } from "./stand-in-service.ts";

/** The text of the guard; a machine runs it as it is sent, packed. */
export const SCRIPT = fileURLToPath(new URL("../../../onstart/bootstrap.sh", import.meta.url));

/** Runs a command as the first process of a container; only root can. */
const CONTAINER = ["/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
export const HAS_CONTAINERS = spawnSync(CONTAINER[0] ?? "", [...CONTAINER.slice(1), "true"]).status === 0;

const BASH = "/bin/bash";

/** Below the time that a test has, so that the machine is ended and its log is shown. */
const MOST_MS = 270_000;

/** A machine made of a folder and processes here; disposing of it, or our death, ends them. */
export type TestMachine = Awaited<ReturnType<typeof testMachine>>;

/** A machine of this image that was started, and is given back. */
export async function machineThatWent(image?: Image, listener?: string): Promise<TestMachine> {
  const machine = await testMachine(image, listener);
  await machine.live().catch(async (error: unknown) => {
    await machine[Symbol.asyncDispose]();
    throw error;
  });
  return machine;
}

/** The variables of a machine whose time is up so many seconds from now. */
export function deadlineIn(seconds: number): { GHR_DEADLINE: string } {
  return { GHR_DEADLINE: String(Math.floor(Date.now() / 1000) + seconds) };
}

/** The variables of a machine that is set up by these lines of bash. */
export function setupOf(lines: string, seconds = 60): { GHR_SETUP: string; GHR_SETUP_TIMEOUT: string } {
  return { GHR_SETUP: packText(lines), GHR_SETUP_TIMEOUT: String(seconds) };
}

/** Makes a machine of this image whose runner does `listener`. */
export async function testMachine(image: Image = {}, listener: string = takesJob()) {
  const { beside, tag, asUser, ...parts } = await partsOf(image, listener);
  const { calls, env, folder, isAlive, script, service } = parts;
  const read = (path: string) => readIfThere(join(folder, path === "log" ? "ghr/log" : path));
  const run = (lines: string) => runProgram([...asUser, BASH, "-c", lines], env);
  const start = () => run(`${image.ignoresSigint ? "trap '' INT; " : ""}exec ${BASH} "${script}"`);
  const until = async (condition: () => boolean) => {
    const end = Date.now() + MOST_MS;
    while (!condition()) {
      if (Date.now() > end) throw new Error(`It never came to that:\n${calls.lines().join("\n")}\n${read("log")}`);
      await delay(20);
    }
  };
  const untilGone = () => until(() => service.destroyed && !isAlive());
  return {
    ...parts,
    /** Runs the script as the service does; resolves, with its code, when the caller may go on. */
    start,
    /** Starts it, and waits until it is given back. */
    live: async () => {
      await start();
      await untilGone();
    },
    /** Runs other lines of bash on the machine. */
    run,
    /** The same in a process namespace: what is killed there, and ended by that, is all in there. */
    runContained: (lines: string) => runProgram([...CONTAINER, ...asUser, BASH, "-c", lines], env),
    /** Ends all its processes, as the end of the container does; the disk stays. */
    stop: () => endTagged(tag),
    /** The command lines of its processes. */
    running: () =>
      findTagged(tag)
        .map((pid) => readIfThere(`/proc/${pid}/cmdline`).replaceAll("\0", " "))
        .join("\n"),
    /** A file of the machine, empty if there is none; `log` is the log of the script. */
    read,
    /** The lines of the log that are the script's. */
    ownLines: () =>
      read("log")
        .split("\n")
        .filter((line) => line.includes(" ghr: ")),
    /** Waits until the condition holds; fails with the machine's log. */
    until,
    /** Waits until the machine is given back, by which the service has ended its processes. */
    untilGone,
    [Symbol.asyncDispose]: () => beside.disposeAsync(),
  };
}

/** Its folder, its service, and what lives beside it and ends with it. */
async function partsOf(image: Image, listener: string) {
  const folder = mkdtempSync(join(tmpdir(), "onstart-"));
  const tag = `ONSTART_TEST=${folder}`;
  const beside = new AsyncDisposableStack();
  beside.defer(startKeeper(tag, folder));
  const calls = callLog(join(folder, "calls.log"));
  const lived = beside.use(countLivedTime(join(folder, "lived-time")));
  makeImage(folder, image, lived.file);
  const tarball = runnerTarball(folder, listener);
  const script = join(folder, "onstart.sh");
  writeFileSync(script, onOwnSystem(ONSTART));
  const service = beside.use(await standInService(calls, tarball));
  const answers = Object.fromEntries(Object.entries(image.answers ?? {}).map(([method, all]) => [method, [...all]]));
  service.answer = (method) => answers[method]?.shift();
  if (image.hasNoDate) service.now = () => undefined;
  let isEnding = false;
  // As the service ends the container of an instance that is destroyed.
  service.onDestroyed = async () => {
    isEnding = true;
    await endTagged(tag);
    isEnding = false;
  };
  beside.defer(() => endTagged(tag));
  const asUser = image.isRoot === false ? asSomeUser(folder) : [];
  const sha256 = createHash("sha256").update(tarball).digest("hex");
  const own = typeof image.env === "function" ? image.env(folder) : image.env;
  // Node takes away what is undefined.
  const env: NodeJS.ProcessEnv = { ...machineEnv(folder, service), GHR_RUNNER_SHA256: sha256, ...own };
  return {
    ...{ asUser, beside, calls, folder, service, tag },
    /** A next start must not begin while the container is being ended: it would be ended, too. */
    isAlive: () => isEnding || findTagged(tag).length > 0,
    /** Its copy of what is sent. */
    script,
    /** The variables of the next start. */
    env,
  };
}

/** The words that run a command as a user whose processes are this machine's alone; only root can be another one. */
function asSomeUser(folder: string): string[] {
  if (process.getuid?.() !== 0) return [];
  const uid = 20_000 + randomInt(40_000);
  execFileSync("chown", ["-R", `${uid}:${uid}`, folder]);
  return ["/usr/bin/setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
}

function machineEnv(folder: string, service: StandInService): Record<string, string> {
  return {
    ONSTART_TEST: folder,
    PATH: ["bin", "host", "system"].map((name) => join(folder, name)).join(":"),
    BASH_ENV: join(folder, "bash_env"),
    HOME: folder,
    TMPDIR: join(folder, "tmp"),
    ...{ CONTAINER_ID: String(service.instanceId), CONTAINER_API_KEY: service.key, GHR_API_URL: service.url },
    ...{ GHR_ROOT: join(folder, "ghr"), GHR_WORK: WORK, GHR_FIGURES: FIGURES, GHR_RUNNER_URL: service.runnerUrl },
    ...{
      GHR_JIT: "c2VjcmV0IGNvbmZpZ3VyYXRpb24=",
      GHR_REPOSITORY: "owner/repo",
      GHR_RUN_ID: "42",
      GHR_RUN_ATTEMPT: "1",
    },
    ...{ ...deadlineIn(7200), GHR_MAX_UPTIME: "7200", GHR_IDLE_TIMEOUT: "300", GHR_MAX_LIFETIME: "3600" },
    ...{ GHR_KEEP_FAILED: "0", GHR_NUM_GPUS: "1" },
  };
}

/** Resolves when it has ended and nobody holds its output: the service's boot may wait for it. */
function runProgram([program = "", ...args]: string[], env: NodeJS.ProcessEnv): Promise<number | null> {
  // A session of its own, as the machine's processes are found by theirs.
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
}
