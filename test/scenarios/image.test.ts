import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import { shownError } from "../support/shown-error.ts";
import { ENDLESS_JOB, RENT_JOB, startSession, UNHURRIED, until } from "../support/simulated-session.ts";

const LOGIN = { username: "octo", token: "token-of-octo-for-pulls" };
const HASH = "4e17788f74f075dd9aab7d0d4427968f";

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

// The registry is asked within 5 s.
test("boot-timeout: auto gives each machine the time that its image needs on its host", async () => {
  const offers = [
    { id: 11, dph_base: 0.3, inet_down: 400, simulate: { unavailable: true } },
    { id: 12, dph_base: 0.31, inet_down: 2000 },
  ];
  const registry = { images: { "pytorch/pytorch": 7_400_000_000 } };
  await using session = await startSession({ ...UNHURRIED, scenario: { offers, registry } });

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

  await session.step.startPost().done;
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent.each(["never-answer", "status", "junk"] as const)(
  "a registry that fails (%s) is told, and stops nothing",
  async (kind) => {
    await using session = await startSession({ scenario: { registry: { fault: { kind, status: 429 } } } });

    const main = await session.step.mainSucceeds();
    // Why, the contract tests see: on a busy computer the time may be over first.
    expect(main.log).toContain("The size of the image is not known: ");
    expect(main.log).toContain("Expected to run in 3m 55s; it has 11m 46s.");
    expect(session.instances().map(bootMinutes)).toEqual([20]);

    await session.endClean();
  },
);

describe.concurrent("an image that its registry does not have", () => {
  // The factor leaves the registry half a second, and the pauses between its answers take a second.
  const among = { factor: 10 };
  const missing = (times: number) => ({ registry: { missing: { "pytorch/pytorch": times } } });

  test("fails once its registry said so twice while a job waits; nothing is rented", async () => {
    await using session = await startSession({ ...among, scenario: missing(99) });

    const main = await session.step.mainFails();
    expect(shownError(main.log)).toMatchObject({
      name: "ImageMissingError",
      message: expect.stringMatching(
        /^The registry has no image \S+\/pytorch\/pytorch:\S+: asked twice, 15 s apart, it said MANIFEST_UNKNOWN\. .*Nothing was rented\.$/,
      ),
      hint: expect.stringContaining("Check the image's name and tag."),
    });
    expect(session.sim.service.journal.of("createInstance")).toEqual([]);

    await session.endClean();
  });

  test("is rented for when it is there by the second look", async () => {
    await using session = await startSession({ ...among, scenario: missing(2) });

    const main = await session.step.mainSucceeds();
    expect(main.log).toContain("its registry has no such image (MANIFEST_UNKNOWN)");
    expect(session.run.job("test").conclusion).toBe("success");

    await session.endClean();
  });

  test("fails a check", async () => {
    await using session = await startSession({
      ...among,
      with: { check: "true" },
      jobs: [RENT_JOB],
      scenario: missing(99),
    });

    const main = await session.step.mainFails();
    expect(shownError(main.log).message).toMatch(
      /- the image is in its registry: its registry has no \S+\/pytorch\/pytorch:\S+, and says MANIFEST_UNKNOWN/,
    );
    expect(session.stillBilling()).toBe("still billing: 0 instances");
  });
});

describe.concurrent("an image that its registry has for other machines alone", () => {
  const scenario = { registry: { platforms: ["linux/arm64", "unknown/unknown"] } };

  test("is one that it does not have: nothing is rented, and the error says how to build it", async () => {
    await using session = await startSession({ factor: 10, scenario });

    const main = await session.step.mainFails();
    expect(shownError(main.log)).toMatchObject({
      name: "ImageMissingError",
      message: expect.stringMatching(
        /^The registry has no image \S+ for linux\/amd64, only for linux\/arm64: asked twice, 15 s apart\. .*Nothing was rented\.$/,
      ),
      hint: expect.stringContaining("Build it with `--platform linux/amd64`."),
    });
    expect(session.sim.service.journal.of("createInstance")).toEqual([]);

    await session.endClean();
  });

  test("fails a check", async () => {
    await using session = await startSession({ factor: 10, with: { check: "true" }, jobs: [RENT_JOB], scenario });

    const main = await session.step.mainFails();
    expect(shownError(main.log).message).toMatch(
      /has no image for linux\/amd64, only for linux\/arm64: build it with `--platform linux\/amd64`/,
    );
    expect(session.stillBilling()).toBe("still billing: 0 instances");
  });
});

describe("image-login", () => {
  const scenario = { imageLogins: [{ registry: "127.0.0.1", ...LOGIN }], registry: { login: LOGIN } };

  test("gets a private image, and its token is nowhere to be read", async () => {
    await using session = await startSession({
      ...UNHURRIED,
      with: ({ registry }) => ({ "image-login": imageLogin(registry.host) }),
      jobs: [RENT_JOB, ENDLESS_JOB],
      scenario,
    });

    const main = session.step.startMain();
    await until(() => session.run.job("test").status === "in_progress", "the GPU job runs");
    expect(commandLines()).not.toContain(LOGIN.token);
    main.cancel();
    const { log } = await main.done;
    expect(log).toContain("to pull 3.2 GB");
    expect(log).toContain(`::add-mask::${LOGIN.token}`);
    const { requests } = session.sim.registry;
    expect(requests.map(({ authorization }) => authorization)).toEqual(["", "Basic", "Bearer", "Bearer"]);
    expect(session.instances()[0]?.order.imageLogin).toBe(imageLogin(session.sim.registry.host));
    expect(JSON.stringify(session.sim.service.journal.entries)).not.toContain(LOGIN.token);

    await session.step.startPost().done;
    // It looks for the token in logs, outputs, state, summary and the machine's environment.
    expect(session.stillBilling()).toBe("still billing: 0 instances");
  });

  test("that the service repeats stands in no file and no line", async () => {
    await using session = await startSession({
      with: ({ registry }) => ({ "image-login": imageLogin(registry.host) }),
      scenario: {
        ...scenario,
        faults: [
          {
            operation: "createInstance",
            kind: "status",
            status: 400,
            body: { success: false, msg: `no login of ${LOGIN.username} with ${LOGIN.token}` },
            nth: 1,
          },
        ],
      },
    });

    const main = await session.step.mainSucceeds();
    // In the runner's own log it is masked in any case: here nothing masks.
    expect(main.log).toContain("no login of octo with ***");
    // It looks for the token in logs, events, outputs, state and summary.
    await session.endClean();
  });

  test("that is wrong stops it with a hint that names the input", async () => {
    await using session = await startSession({
      factor: 8,
      with: ({ registry }) => ({ "image-login": imageLogin(registry.host, "a-token-that-is-wrong") }),
      scenario,
    });

    const main = await session.step.mainFails();
    expect(shownError(main.log)).toMatchObject({
      name: "ImageUnusableError",
      message: expect.stringContaining("unauthorized: authentication required"),
      hint: expect.stringContaining("Set image-login, with a token"),
    });
    expect(session.instances()).toHaveLength(2);
    const [first, machine] = [/^::warning.*answered 401 to image-login/m, /^machine 1: asked for/m].map((line) =>
      main.log.search(line),
    );
    expect(first).toBeGreaterThan(-1);
    expect(first).toBeLessThan(Number(machine));

    await session.endClean();
  });

  test("that is wrong fails a check, and one that is missing is warned of", async () => {
    const among = { factor: 10, jobs: [RENT_JOB], scenario };
    await using wrong = await startSession({
      ...among,
      with: ({ registry }) => ({ check: "true", "image-login": imageLogin(registry.host, "a-token-that-is-wrong") }),
    });
    const { log } = await wrong.step.mainFails();
    expect(shownError(log).message).toMatch(
      /- the image is in its registry: The registry of \S+ answered 401 to image-login/,
    );

    await using missing = await startSession({ ...among, with: { check: "true" } });
    const main = await missing.step.mainSucceeds();
    expect(main.log).toMatch(/^::warning.*answered 401 without a login: .*A private image needs image-login\.$/m);
    expect(missing.stillBilling()).toBe("still billing: 0 instances");
  });
});

describe.concurrent("template-hash-id", () => {
  const template = {
    id: 31,
    hash_id: HASH,
    image: "registry.invalid/octo/torch",
    tag: "2.8",
    env: "-e MODE=train -e GREETING=hello",
    onstart: "echo the template's own",
    recommended_disk_space: 64,
  };
  const scenario = { templates: [template] };
  const bare = { image: undefined, "template-hash-id": HASH };

  test("rents what the template says, with this step's disk, runtype and script", async () => {
    await using session = await startSession({ with: { ...bare, env: "GREETING=hej" }, scenario });

    const main = await session.step.mainSucceeds();
    const [machine] = session.instances();
    expect(machine?.order).toMatchObject({ image: "registry.invalid/octo/torch:2.8", disk: 32, runtype: "ssh_proxy" });
    expect(machine?.order.env).toMatchObject({ MODE: "train", GREETING: "hej" });
    expect(machine?.order.onstart).not.toContain("the template's own");
    expect(main.log).not.toContain(":latest");
    expect(session.sim.registry.requests).toEqual([]);
    expect(session.run.job("test").conclusion).toBe("success");

    await session.endClean();
  });

  test("gives way to an image that the step names", async () => {
    await using session = await startSession({ with: { "template-hash-id": HASH, disk: "50" }, scenario });

    await session.step.mainSucceeds();
    expect(session.instances()[0]?.order).toMatchObject({
      image: expect.stringMatching(/pytorch\/pytorch:2\.8\.0/),
      disk: 50,
      template: { hash_id: HASH },
    });

    await session.endClean();
  });

  test.each(["seed", "observed"] as const)("that nobody has stops it at once, dialect %s", async (dialect) => {
    const other = "0000000000000000";
    await using session = await startSession({ with: { ...bare, "template-hash-id": other }, dialect, scenario });

    const main = await session.step.mainFails();
    expect(shownError(main.log)).toMatchObject({
      name: "TemplateUnknownError",
      message: expect.stringMatching(/does not take the template 0000000000000000: .*template.* Nothing was rented\.$/),
      hint: expect.stringContaining("Check template-hash-id"),
    });
    // One refusal may be a mistake: it is believed when a second create is refused as well.
    expect(session.sim.service.journal.of("createInstance")).toHaveLength(2);

    await session.endClean();
    expect(session.instances()).toEqual([]);
    expect(session.sim.github.runners()).toEqual([]);
  });
});

describe.concurrent("runtype", () => {
  test("ssh_direct: the outputs tell the machine's own address", async () => {
    // Its address is in a list of instances. One that takes 15 s is given up, and the step ends without it.
    await using session = await startSession({
      ...UNHURRIED,
      with: { runtype: "ssh_direct", hold: "false" },
      jobs: [RENT_JOB],
    });

    const main = await session.step.mainSucceeds();
    const [machine] = session.instances();
    expect(machine?.order.runtype).toBe("ssh_direct");
    expect(main.outputs["ssh-host"]).toBe(machine?.offer.public_ipaddr);
    expect(main.outputs["ssh-port"]).toBe(String(machine?.hostPort));

    await session.endClean();
  });
});
