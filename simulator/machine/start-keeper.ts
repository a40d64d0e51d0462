import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { findHostCommand } from "./host-command.ts";

const SCRIPT = fileURLToPath(new URL("keeper.bash", import.meta.url));

/**
 * Starts a process that, once this one is gone, kills everything tagged and removes `folder`. The
 * returned function makes it do so now, and resolves when it has.
 */
export function startKeeper(tag: string, folder: string): () => Promise<void> {
  const keeper = spawn(findHostCommand("bash") ?? "bash", [SCRIPT, tag, folder], {
    env: { PATH: process.env.PATH ?? "" },
    // A session of its own, so that Ctrl-C in the terminal doesn't end it before its work.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(keeper, "exit");
  keeper.stdin.on("error", () => {});
  // It must not keep us alive: it waits for our end.
  keeper.unref();
  if (keeper.stdin instanceof Socket) keeper.stdin.unref();
  return async () => {
    keeper.ref();
    keeper.stdin.end();
    if (keeper.exitCode === null && keeper.signalCode === null) await ended;
  };
}
