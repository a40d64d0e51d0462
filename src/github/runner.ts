import { z } from "zod";

/**
 * A runner's state. `busy`: it has a job; `cut-off`: so it has, and is not connected; `gone`:
 * GitHub does not know it (any more), as it was removed or its job is over.
 */
export type RunnerState = "online" | "busy" | "cut-off" | "offline" | "gone";

/** A runner of the repository as GitHub lists it. */
export interface ListedRunner {
  id: number;
  name: string;
  labels: string[];
  state: Exclude<RunnerState, "gone">;
}

/** Where the runner program is, and how to know that it is the right one. */
export interface RunnerDownload {
  url: string;
  sha256: string;
}

/** GitHub, "Get a self-hosted runner". */
export const runnerSchema = z
  .looseObject({
    id: z.number(),
    name: z.string(),
    status: z.string(),
    busy: z.boolean().nullish(),
    labels: z.array(z.looseObject({ name: z.string() })),
  })
  .transform(({ id, name, status, busy, labels }): ListedRunner => {
    const connection = status === "online" ? "online" : "offline";
    return {
      id,
      name,
      labels: labels.map((label) => label.name),
      state: busy ? (connection === "online" ? "busy" : "cut-off") : connection,
    };
  });

/** GitHub, "List self-hosted runners". */
export const runnerPageSchema = z.looseObject({ total_count: z.number(), runners: z.array(runnerSchema) });

/** GitHub, "Create configuration for a just-in-time runner". */
export const mintedSchema = z.looseObject({
  runner: z.looseObject({ id: z.number() }),
  encoded_jit_config: z.string().min(1),
});

/** GitHub, "List runner applications". */
export const downloadsSchema = z.array(
  z.looseObject({
    os: z.string(),
    architecture: z.string(),
    download_url: z.string(),
    sha256_checksum: z.string().optional(),
  }),
);
