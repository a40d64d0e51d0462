import type { Runner } from "../runners/runners.ts";

/** A runner as GitHub shows it; a fresh one is offline, of unknown system and without a version. */
export function wireRunner(runner: Runner, online: boolean): Record<string, unknown> {
  return {
    id: runner.id,
    runner_group_id: runner.groupId,
    name: runner.name,
    os: runner.version === null ? "unknown" : "linux",
    status: online ? "online" : "offline",
    busy: runner.job !== null,
    labels: runner.labels.map((name) => ({ id: 0, name, type: "read-only" })),
    ephemeral: true,
    ...(runner.version === null ? {} : { version: runner.version }),
  };
}
