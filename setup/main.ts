import { setTimeout as sleepFor } from "node:timers/promises";
import { runSetup } from "./run.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
process.exitCode = await runSetup(process.argv.slice(2), {
  program: process.argv[1] ?? "",
  folder: process.cwd(),
  env: process.env,
  sleep: (milliseconds, signal) => sleepFor(milliseconds, undefined, { signal }),
  isAtTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
  out: process.stdout,
  err: process.stderr,
  stop: stop.signal,
});
