import { type SpawnOptions, spawn } from "node:child_process";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** How a group of processes ended. `isLate`: its time was up. */
interface GroupEnd {
  code: number | null;
  isLate: boolean;
}

/**
 * Runs a Node program as a group of processes of its own, for so many milliseconds at most. What the program started
 * ends with it, also when this process is told to end.
 */
export async function runGroup(args: readonly string[], mostMs: number, options: SpawnOptions): Promise<GroupEnd> {
  const child = spawn(process.execPath, args, { ...options, detached: true });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on("error", reject);
  child.on("exit", resolve);
  let isLate = false;
  const end = () => {
    try {
      process.kill(-Number(child.pid), "SIGKILL");
    } catch (error) {
      // Nothing of the group is left.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, mostMs);
  const endWithUs = () => {
    end();
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, endWithUs);
  try {
    return { code: await promise, isLate };
  } finally {
    clearTimeout(timer);
    for (const signal of SIGNALS) process.off(signal, endWithUs);
    end();
  }
}
