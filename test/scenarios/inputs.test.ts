import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { startSession, UNHURRIED } from "../support/simulated-session.ts";

const WRONG =
  "api-url github-token gpu-name num-gpus max-price min-reliability disk env hold wait-for-job max-lifetime attempts max-cost image";

test("lists every input that is wrong in one error, and shows no secret", async () => {
  await using session = await startSession({
    // The error says what becomes of the job if GitHub shows it within 5 s.
    ...UNHURRIED,
    with: {
      "api-url": "http://console.example.com",
      "github-token": "two words",
      "gpu-name": "RTX 4090; rm",
      "num-gpus": "1.5",
      "max-price": undefined,
      "max-cost": undefined,
      "min-reliability": "95",
      image: undefined,
      disk: "4",
      env: "GOOD=1\nBAD LINE",
      hold: "maybe",
      "wait-for-job": "30",
      "max-lifetime": "2 hours",
      attempts: "0",
    },
  });

  const main = await session.step.mainFails();
  const { name, message, hint } = shownError(main.log);
  expect(name).toBe("InputError");
  expect(hint).toContain("`with:`");
  const [first, ...faults] = message.split("\n");
  const fate = "'test' did not run, and will be cancelled with the run once no other job is open.";
  expect(first).toBe(`14 inputs are wrong: ${WRONG.split(" ").join(", ")}. Nothing was rented. ${fate}`);
  // One form for all: what it must be, what it got.
  for (const fault of faults) {
    expect(fault).toMatch(/^- [a-z-]+: .*must (be|have|set) .+, got (".*"|nothing|something that is not shown)$/);
  }
  expect(faults).toContain('- num-gpus: must be a whole number from 1 to 64 GPUs, got "1.5"');
  expect(faults).toContain("- max-price: must be a number from 0.001 to 1000 USD per hour, got nothing");
  expect(faults).toContain("- max-cost: must be none or a number from 0.001 to 100000 USD, got nothing");
  expect(faults).toContain(
    '- wait-for-job: has no unit; must be a duration from 0s to 6h, written like 90s, 10m, 2h or 1h30m, got "30"',
  );
  expect(faults).toContain("- github-token: must be a key or token, without blanks, got something that is not shown");
  expect(faults.map((fault) => fault.slice(2, fault.indexOf(":")))).toEqual(WRONG.split(" "));
  expect(main.log).not.toContain("two words\n- ");
  expect(session.sim.service.journal.entries).toEqual([]);
  // All that is asked is whether a GPU job is left waiting.
  expect(new Set(session.sim.github.journal.entries.map(({ operation }) => operation))).toEqual(new Set(["listJobs"]));

  await session.endClean();
});

test("refuses a variable that the runner or the service uses itself", async () => {
  await using session = await startSession({ with: { env: "HF_HOME=/data\nCONTAINER_API_KEY=x" } });

  const main = await session.step.mainFails();
  expect(shownError(main.log).message).toContain(
    "- env: must set no CONTAINER_API_KEY, which the runner or the service uses itself",
  );
  expect(session.instances()).toEqual([]);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test("tells a run without secrets from a wrong key", async () => {
  // A run of a fork: every secret is empty.
  await using session = await startSession({ with: { "api-key": "", "github-token": "" } });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "NoSecretsError",
    message: "api-key and github-token are empty: this run has no secrets, or none of that name. Nothing was rented.",
    hint: expect.stringContaining("add the `if:` of the README"),
  });
  expect(session.sim.service.journal.entries).toEqual([]);

  await session.endClean();
});

test("a mistyped input is refused before anything is rented, and post does not mind", async () => {
  // The runner hands every line of `with:` on, known or not.
  await using session = await startSession({
    ...UNHURRIED,
    env: { INPUT_MAX_COSTS: "2", INPUT_PYTHON_VERSION: "3.13" },
  });
  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "InputError",
    message: expect.stringMatching(
      /^One input is wrong: max_costs\. Nothing was rented\.[\s\S]*- max_costs: is no input, write max-cost$/,
    ),
  });
  expect(session.sim.service.journal.entries).toEqual([]);
  await session.endClean();
});
