import type { Label } from "../../../src/machine/label.ts";
import type { Sweeper } from "../../../src/release/leftovers.ts";

/** The repository and the run attempt that sweeps in these tests. */
export const SWEEPER: Sweeper = { server: "", repositoryId: 880_001, runId: 9000, attempt: 2 };

/** A leftover's label, but for what the test says. `expiry` in milliseconds since the epoch. */
export function aLabel(given: Partial<Label> = {}): Label {
  return {
    server: "",
    repositoryId: 880_001,
    runId: 4711,
    attempt: 1,
    sessionId: "abcdef",
    machineNo: 1,
    expiry: 4e12,
    ...given,
  };
}

/** The same as text. */
export function labelText(given: Partial<Label> = {}): string {
  const { server, repositoryId, runId, attempt, sessionId, machineNo, expiry } = aLabel(given);
  return `ghr1.${server}${repositoryId}.${runId}-${attempt}.${sessionId}.${machineNo}.${Math.floor(expiry / 1000)}`;
}
