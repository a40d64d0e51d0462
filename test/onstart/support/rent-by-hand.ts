import { ok } from "node:assert/strict";
import { z } from "zod";
import type { RunControl } from "../../../simulator/github/runs/run-control.ts";
import type { GithubStandIn } from "../../../simulator/github/start-github.ts";
import type { ServiceSimulator } from "../../../simulator/service/start-service.ts";
import { onstartEnv } from "../../../src/machine/script/onstart-env.ts";
import { ONSTART } from "../../../src/machine/script/packed.ts";

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
export async function rent(
  { service, github, run }: Sides,
  { numGpus, setup = "", probe = "" }: Wishes,
): Promise<void> {
  const runners = `${github.url}/repos/${REPOSITORY}/actions/runners`;
  const body = { name: `gpu-${run.id}`, runner_group_id: 1, labels: ["gpu"] };
  const jit = await ask(z.object({ encoded_jit_config: z.string() }), `${runners}/generate-jitconfig`, {
    method: "POST",
    token: github.runnerToken,
    body,
  });
  const downloads = await ask(z.array(Download), `${runners}/downloads`, { method: "GET", token: github.runnerToken });
  const download = downloads.find(({ os, architecture }) => os === "linux" && architecture === "x64");
  ok(download, "no runner for this machine");
  const env = onstartEnv(
    {
      jitConfigs: [jit.encoded_jit_config],
      download: { url: download.download_url, sha256: download.sha256_checksum },
      apiUrl: service.url,
      deadline: Date.now() + 3_600_000,
      uptimeMs: 3_600_000,
      maxLifetime: 3_600_000,
      keepFailed: 0,
      idleTimeout: 300_000,
      numGpus,
      repository: REPOSITORY,
      runId: run.id,
      runAttempt: run.attempt,
      setup,
      setupTimeout: 600_000,
      probe,
      gpuFigures: true,
    },
    {},
  );
  await ask(z.object({ success: z.literal(true) }), `${service.url}/api/v0/asks/11/`, {
    method: "PUT",
    token: service.apiKey,
    body: { image: "debian:stable", disk: 32, runtype: "ssh_direct", env, onstart: ONSTART },
  });
}

const Download = z.object({
  os: z.string(),
  architecture: z.string(),
  download_url: z.string(),
  sha256_checksum: z.string(),
});

interface Call {
  method: string;
  token: string;
  body?: unknown;
}

async function ask<Shape>(shape: z.ZodType<Shape>, url: string, { method, token, body }: Call): Promise<Shape> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  ok(answer.ok, `${method} ${url} answers ${answer.status}: ${text}`);
  return shape.parse(JSON.parse(text));
}
