import { describe, expect, test } from "vitest";
import { maskSecret } from "../../../src/action/platform.ts";
import { GithubRefusedError, GithubTokenError, GithubUnavailableError } from "../../../src/github/github-errors.ts";
import { LabelInUseError, Registrations } from "../../../src/github/registrations.ts";
import type { Clock } from "../../../src/shared/clock.ts";
import { RUNNER_LABEL } from "../support/a-job.ts";
import { freshWorld, github, log } from "../support/fresh-world.ts";
import { stepOutput } from "../support/step-output.ts";

freshWorld();

const DOUBT = new GithubUnavailableError("ask", "502");
const NOT_ALLOWED = new GithubTokenError({ input: "job-token", task: "ask", remedy: "Grant it." }, 403, "No.");

const IDS = new Set([21]);
const clock: Clock = { now: () => 1_790_000_000_000, sleep: async () => {} };

const printed = stepOutput();

function port() {
  const registering = { runners: github.runners, clock, log, mask: maskSecret };
  return new Registrations(registering, RUNNER_LABEL, `${RUNNER_LABEL}-abcdef-`);
}

test("a token that never could is an error", async () => {
  github.stateAnswer = github.removeAnswer = NOT_ALLOWED;
  const used = port();
  await expect(used.look(IDS)).rejects.toBe(NOT_ALLOWED);
  await expect(used.remove(21)).rejects.toBe(NOT_ALLOWED);
  expect(used.refusedSince).toBeUndefined();
});

describe("a token that has registered a runner and is refused later", () => {
  const need = { input: "github-token" as const, task: "look at a runner", remedy: "Renew it." };
  const EXPIRED = new GithubTokenError(need, 401, "Bad credentials");

  /** A port whose token was good for a first runner, and is refused from now on. */
  async function expired() {
    github.newRunner = { id: 21, jitConfig: "another-configuration" };
    const used = port();
    await used.registerRunner("gpu-4711-1-abcdef-1");
    github.stateAnswer = github.removeAnswer = github.newRunner = EXPIRED;
    return used;
  }

  test("says nothing of the runners, and since when", async () => {
    const used = await expired();
    expect(used.refusedSince).toBeUndefined();
    expect(await used.look(IDS)).toBeUndefined();
    expect(used.refusedSince).toBe(clock.now());
    expect(await used.remove(21)).toBe("unknown");
  });

  test("nor does a refusal of the request itself: it must not end what works", async () => {
    const used = await expired();
    const refused = new GithubRefusedError("look at a runner", 400, "Bad request");
    github.stateAnswer = github.removeAnswer = refused;
    expect(await used.look(IDS)).toBeUndefined();
    expect(await used.remove(21)).toBe("unknown");
    await expect(port().look(IDS)).rejects.toBe(refused);
  });

  test("is logged once, however often it is asked", async () => {
    const used = await expired();
    for (let look = 0; look < 20; look += 1) await used.look(IDS);
    await used.remove(21);
    await expect(used.registerRunner("gpu-4711-1-abcdef-2")).rejects.toBe(EXPIRED);
    const warning = /^github-token is refused since \d\d:\d\d UTC.*Bad credentials.*lives an hour/;
    expect(log.warnings).toEqual([expect.stringMatching(warning)]);
  });

  test("counts again once GitHub accepts it", async () => {
    const used = await expired();
    await used.look(IDS);
    github.stateAnswer = "offline";
    expect(await used.look(IDS)).toEqual(new Map([[21, "offline"]]));
    expect(used.refusedSince).toBeUndefined();
    github.stateAnswer = DOUBT;
    await used.look(IDS);
    expect(used.refusedSince).toBeUndefined();
    expect(log.warnings).toHaveLength(1);
    github.stateAnswer = new TypeError("a bug");
    await expect(used.look(IDS)).rejects.toThrow("a bug");
  });
});

describe("registering", () => {
  const ours = { id: 21, name: "gpu-4711-1-abcdef-1", labels: [RUNNER_LABEL], state: "offline" as const };

  test("masks the runner's configuration before anything can print it", async () => {
    github.newRunner = { id: 21, jitConfig: "a-configuration-of-its-own" };
    await port().registerRunner("gpu-4711-1-abcdef-1");
    expect(printed.text).toContain("::add-mask::a-configuration-of-its-own");
  });

  const rival = (id: number) => ({ ...ours, id, name: "gpu-4711-1-zzzzzz-1" });

  test("another session that registered our label at the same time is seen now, before anything is rented", async () => {
    github.registered = [ours, rival(20)];
    await expect(port().registerRunner(ours.name)).rejects.toBeInstanceOf(LabelInUseError);
  });

  test.each([
    ["one that registered later: were both refused, nobody would serve the jobs", rival(22)],
    ["our own that a lost answer made", { ...ours, id: 20, name: "gpu-4711-1-abcdef-0" }],
  ])("no rival is %s", async (_which, other) => {
    github.registered = [ours, other];
    expect(await port().registerRunner(ours.name)).toMatchObject({ id: 21 });
  });

  test("where GitHub can't be asked, the label is taken to be free", async () => {
    github.registered = DOUBT;
    expect(await port().registerRunner(ours.name)).toMatchObject({ id: 21 });
  });
});
