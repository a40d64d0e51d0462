import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ask, REPOSITORY, startOn } from "./github-under-test.ts";

const RUN = { repository: "octo/new", repositoryId: 5, runId: 6, jobs: [{ name: "gpu", labels: ["gpu-1"] }] };

test("scripts add runs, drive jobs and set faults over HTTP, without a key", async () => {
  await using github = await startOn(1);
  const added = await ask(github, "/_control/runs", { method: "POST", token: null, body: RUN });
  expect([added.status, added.body.id, added.body.attempt]).toEqual([201, 6, 1]);
  const job = `/_control/jobs/${added.body.jobs[0].id}`;
  const moved = await ask(github, job, { method: "POST", token: null, body: { status: "in_progress" } });
  expect(moved.body).toMatchObject({ name: "gpu", status: "in_progress" });
  await ask(github, job, { method: "POST", token: null, body: { status: "completed", conclusion: "failure" } });
  const runs = await ask(github, "/_control/runs", { token: null });
  expect(runs.body).toEqual([
    expect.objectContaining({ repository: "octo/new", status: "completed", conclusion: "failure" }),
  ]);
  await ask(github, "/_control/faults", {
    method: "POST",
    body: [{ operation: "getRepository", kind: "status", status: 500 }],
  });
  expect((await ask(github, "/repos/octo/new")).status).toBe(500);
});

test("what is wrong with a request is said in one sentence", async () => {
  await using github = await startOn(1);
  for (const [path, body] of [
    ["/_control/runs", { ...RUN, job: [] }],
    ["/_control/runs", "{"],
    ["/_control/faults", [{ operation: "nothing", kind: "reset" }]],
  ] as const) {
    const answer = await ask(github, path, { method: "POST", body });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(/\w+/)]);
  }
  expect((await ask(github, "/_control/jobs/1", { method: "POST", body: {} })).status).toBe(404);
  expect((await ask(github, "/_control/nothing")).status).toBe(404);
});

test("the published runner archive is there behind a redirect, and its checksum is true unless the test says otherwise", async () => {
  await using github = await startOn(1);
  const read = async () => {
    const { body } = await ask(github, `${REPOSITORY}/actions/runners/downloads`);
    return body.filter(
      (entry: { os: string; architecture: string }) => entry.os === "linux" && entry.architecture !== "arm",
    );
  };
  for (const entry of await read()) {
    const manual = await fetch(entry.download_url, { redirect: "manual" });
    expect([manual.status, manual.headers.get("location")]).toEqual([302, expect.stringContaining(entry.filename)]);
    const bytes = Buffer.from(await (await fetch(entry.download_url)).arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(entry.sha256_checksum);
    expect(entry.filename).toMatch(/^actions-runner-linux-(x64|arm64)-\d+\.\d+\.\d+\.tar\.gz$/);
  }
  const [x64, arm64] = await read();
  expect(x64.sha256_checksum).not.toBe(arm64.sha256_checksum);
  github.redirectDownloads(false);
  expect((await fetch(x64.download_url, { redirect: "manual" })).status).toBe(200);
  github.publishSha256("0".repeat(64));
  expect((await read())[0].sha256_checksum).toBe("0".repeat(64));
  github.publishSha256(null);
  expect((await read())[0]).not.toHaveProperty("sha256_checksum");
});
