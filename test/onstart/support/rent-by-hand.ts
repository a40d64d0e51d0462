import { ok } from "node:assert/strict";
import type { RunControl } from "../../../simulator/github/runs/run-control.ts";
import type { GithubStandIn } from "../../../simulator/github/start-github.ts";
import type { ServiceSimulator } from "../../../simulator/service/start-service.ts";
import { GithubClient } from "../../../src/github/github-client.ts";
import { Runners } from "../../../src/github/runners.ts";
import { onstartEnv } from "../../../src/machine/script/onstart-env.ts";
import { ONSTART } from "../../../src/machine/script/packed.ts";
import { ServiceClient } from "../../../src/marketplace/vast/service-client.ts";
import { systemClock } from "../../../src/shared/clock.ts";

/** The repository whose runners these are. */
export const REPOSITORY = "octo/gpu-lib";

/** Whom the action talks to, and the run that it is in. */
interface Sides {
  readonly service: ServiceSimulator;
  readonly github: GithubStandIn;
  readonly run: RunControl;
}

/** Differences from one of these to the next. */
export interface Wishes {
  numGpus: number;
  setup?: string;
  probe?: string;
}

/** Rents as the action does, without its choices. */
export async function rent({ service, github, run }: Sides, wishes: Wishes): Promise<void> {
  const { numGpus, setup = "", probe = "" } = wishes;
  const [owner = "", repo = ""] = REPOSITORY.split("/");
  const place = { apiUrl: github.url, owner, repo, clock: systemClock };
  const runners = new Runners(new GithubClient({ ...place, token: github.runnerToken }));
  const env = onstartEnv(
    {
      jitConfigs: [(await runners.registerRunner(`gpu-${run.id}`, "gpu")).jitConfig],
      download: await runners.download(),
      ...{ apiUrl: service.url, deadline: Date.now() + 3_600_000, uptimeMs: 3_600_000, maxLifetime: 3_600_000 },
      ...{ repository: REPOSITORY, runId: run.id, runAttempt: run.attempt, setup, setupTimeout: 600_000, probe },
      ...{ keepFailed: 0, idleTimeout: 300_000, numGpus, gpuFigures: true },
    },
    {},
  );
  await using client = new ServiceClient({ baseUrl: service.url, apiKey: service.apiKey, clock: systemClock });
  const config = { image: "debian:stable", disk: 32, runtype: "ssh_direct", env, onstart: ONSTART } as const;
  const { status, text } = await client.createInstance(11, config);
  ok(status === 200, `the create answers ${status}: ${text}`);
}
