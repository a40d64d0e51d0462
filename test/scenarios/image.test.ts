import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import type { InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import { test } from "../support/scenario.ts";
import { ENDLESS_JOB, RENT_JOB, UNHURRIED, until } from "../support/simulated-session.ts";

const LOGIN = { username: "octo", token: "token-of-octo-for-pulls" };
const PRIVATE = { imageLogins: [{ registry: "127.0.0.1", ...LOGIN }], registry: { login: LOGIN } };

const imageLogin = (host: string, token = LOGIN.token) => `-u ${LOGIN.username} -p ${token} ${host}`;

/** A boot's limit in minutes, by the label: less 5 to be online, 2 h of life, 15 of margin. */
function bootMinutes({ label, createdAt }: InstanceRecord): number {
  const expiry = Number(label?.split(".").at(-1)) * 1000;
  return Math.round((expiry - createdAt) / 60_000 - 5 - 120 - 15);
}

/** The command lines of all processes of this computer, as anybody on it can read them. */
function commandLines(): string {
  const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return numbers.map(commandLine).join("\n");
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It ended meanwhile.
    return "";
  }
}

test("boot-timeout: auto gives each machine the time that its image needs on its host", async ({ start }) => {
  const offers = [
    { id: 11, dph_base: 0.3, inet_down: 400, simulate: { unavailable: true } },
    { id: 12, dph_base: 0.31, inet_down: 2000 },
  ];
  const registry = { images: { "pytorch/pytorch": 7_400_000_000 } };
  const session = await start({ ...UNHURRIED, scenario: { offers, registry } });
  const main = session.step.startMain();
  await until(() => session.instances().length === 1, "the second offer is rented");
  main.cancel();

  const { log } = await main.done;
  expect(log).toContain("Expected to run in 8m 4s; it has 24m 12s. It takes about 7 min to pull 7.4 GB at 400 Mbit/s.");
  expect(log).toContain(
    "Expected to run in 4m 7s; it has 12m 22s. It takes about 3 min to pull 7.4 GB at 2000 Mbit/s.",
  );
  // Its deadline counts the longest that it may be kept: 25 min until its runner is online.
  expect(session.instances().map(bootMinutes)).toEqual([20]);
  expect(session.instances()[0]?.order.env.GHR_MAX_UPTIME).toBe(String((25 + 120) * 60));
});

test("image-login gets a private image, and its token is nowhere to be read, though the service repeats it", async ({
  start,
}) => {
  const body = { success: false, msg: `no login of ${LOGIN.username} with ${LOGIN.token}` };
  const session = await start({
    ...UNHURRIED,
    with: ({ registry }) => ({ "image-login": imageLogin(registry.host) }),
    jobs: [RENT_JOB, ENDLESS_JOB],
    scenario: { ...PRIVATE, faults: [{ operation: "createInstance", kind: "status", status: 400, body, nth: 1 }] },
  });
  const main = await session.mainUntilJobRuns();
  expect(commandLines()).not.toContain(LOGIN.token);
  main.cancel();

  const { log } = await main.done;
  expect(log).toContain("to pull 3.2 GB");
  expect(log).toContain(`::add-mask::${LOGIN.token}`);
  // In the runner's own log it is masked in any case: here nothing masks.
  expect(log).toContain("no login of octo with ***");
  const { requests } = session.sim.registry;
  expect(requests.map(({ authorization }) => authorization)).toEqual(["", "Basic", "Bearer", "Bearer"]);
  expect(session.instances()[0]?.order.image_login).toBe(imageLogin(session.sim.registry.host));

  // It looks for the token in logs, events, outputs, state, summary and the machine's environment.
});

test("an image-login that is wrong: a warning before anything is rented, and the second machine's word ends it", async ({
  start,
}) => {
  const session = await start({
    factor: 8,
    with: ({ registry }) => ({ "image-login": imageLogin(registry.host, "a-token-that-is-wrong") }),
    scenario: PRIVATE,
  });

  const { log, ...error } = await session.errorOfMain();
  expect(error).toMatchObject({
    name: "ImageUnusableError",
    message: expect.stringContaining("unauthorized: authentication required"),
    hint: expect.stringContaining("Set image-login, with a token"),
  });
  expect(session.instances()).toHaveLength(2);
  const [warned, asked] = [/^::warning.*answered 401 to image-login/m, /^machine 1: asked for/m].map((line) =>
    log.search(line),
  );
  expect(warned).toBeGreaterThan(-1);
  expect(warned).toBeLessThan(Number(asked));
});
