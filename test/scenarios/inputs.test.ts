import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { UNHURRIED } from "../support/simulated-session.ts";

test("every input that is wrong or mistyped is told in one error, no secret is shown, and the GPU job is not left waiting", async ({
  start,
}) => {
  const session = await start({
    // The error says what becomes of the job if GitHub shows it within 5 s.
    ...UNHURRIED,
    with: {
      "api-url": "http://console.example.com",
      "github-token": "two words",
      "max-price": undefined,
      env: "HF_HOME=/data\nCONTAINER_API_KEY=x",
      "wait-for-job": "30",
    },
    // The runner hands every line of `with:` on, known or not.
    env: { INPUT_MAX_COSTS: "2", INPUT_PYTHON_VERSION: "3.13" },
  });

  const { log, ...error } = await session.errorOfMain();
  expect(error.name).toBe("InputError");
  expect(error.hint).toContain("`with:`");
  const [first = "", ...faults] = error.message.split("\n");
  expect(first).toMatch(
    /^6 inputs are wrong: .*\. Nothing was rented\. 'test' did not run, and will be cancelled with the run once no other job is open\.$/,
  );
  expect(faults, error.message).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^- api-url: must .*, got something that is not shown$/),
      "- github-token: must be a key or token, without blanks, got something that is not shown",
      "- max-price: must be a number from 0.001 to 1000 USD per hour, got nothing",
      expect.stringMatching(/^- env: must set no CONTAINER_API_KEY, which the runner or the service uses itself/),
      '- wait-for-job: has no unit; must be a duration from 0s to 6h, written like 90s, 10m, 2h or 1h30m, got "30"',
      "- max_costs: is no input, write max-cost",
    ]),
  );
  expect(faults).toHaveLength(6);
  expect(log).not.toContain("two words\n- ");
  expect(session.sim.service.journal.entries).toEqual([]);
  // All that is asked is whether a GPU job is left waiting.
  expect(new Set(session.sim.github.journal.entries.map(({ operation }) => operation))).toEqual(new Set(["listJobs"]));

  await session.endWithoutRenting();
  session.run.job("rent").complete("failure");
  expect(session.run.job("test").conclusion).toBe("cancelled");
});

test("a run without secrets, as a fork's, is told from a wrong key, and what to add to the workflow", async ({
  start,
}) => {
  const session = await start({ with: { "api-key": "", "github-token": "" } });

  expect(await session.errorOfMain()).toMatchObject({
    name: "NoSecretsError",
    message: expect.stringMatching(
      /^api-key and github-token are empty: this run has no secrets, or none of that name\. .*Nothing was rented\./,
    ),
    hint: expect.stringContaining("add the `if:` of the README"),
  });
  expect(session.sim.service.journal.entries).toEqual([]);

  await session.endWithoutRenting();
});
