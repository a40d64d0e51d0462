import { expect } from "vitest";
import { test } from "../support/scenario.ts";

/** A key of the account with these permissions, and the check that uses it. */
function checkWith(...scopes: ("misc" | "user_read" | "instance_read" | "instance_write")[]) {
  const key = "scoped-key-of-the-account";
  return { inputs: { check: "true", "api-key": key }, keys: [{ key, scopes }] };
}

test("check: all is well: says so thing by thing, shows the offers with pull time and cost, and leaves job and run alone", async ({
  start,
}) => {
  const { inputs, keys } = checkWith("misc", "user_read", "instance_read", "instance_write");
  const session = await start({ with: { ...inputs, "if-no-machine": "cancel" }, scenario: { keys } });

  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(/^ok {2}api-key may list instances \(instance_read\): 0 instances in this account$/m);
  expect(main.log).toMatch(/^ok {2}credit: 25\.00 USD, and min-credit asks for 0\.00 USD$/m);
  expect(main.log).toMatch(
    /^ok {2}api-key may create and destroy \(instance_write\): its permissions are misc, user_read, instance_read, instance_write$/m,
  );
  expect(main.log).toMatch(
    /^ok {2}github-token \(a fine-grained personal token\) may register runners: one was registered and removed/m,
  );
  expect(main.log).toMatch(/^ok {2}api-key may search \(misc\), and an offer fits: 4 offers fit$/m);
  expect(main.log).toMatch(
    /^ {2}11 .* 0\.32 USD .* 0\.\d+ USD expected +0\.7\d USD, if used for all of its 145 minutes/m,
  );
  expect(main.log).toContain("All that can be asked without renting is well. Nothing was rented.");
  // Its configuration is a secret, though nobody uses it.
  expect(main.log).toMatch(/^::add-mask::eyI/m);
  expect(main.summary).toContain("check, nothing was rented");
  expect(main.summary).toContain("| ✅ |");
  expect(main.summary).toContain("| expected for a job of 8 min |");

  const post = await session.endWithoutRenting();
  expect(post.summary).toBe("");
  expect(session.sim.github.journal.of("generateJitConfig")).toHaveLength(1);
  expect(session.run.cancelRequested).toBe(false);
  expect(session.run.job("test").status).toBe("queued");
});

test("check: whatever is wrong, all of it is told at once, and nothing is rented", async ({ start }) => {
  const { inputs, keys } = checkWith("misc", "user_read", "instance_read");
  const session = await start({
    // The registry is asked within 5 s.
    factor: 10,
    with: (sim) => ({
      ...inputs,
      "github-token": sim.github.jobToken,
      "job-token": sim.github.runnerToken,
      hold: "false",
      "template-name": "Torch for tests",
      "min-credit": "100",
      "max-price": "0.05",
      "boot-timeout": "10m",
    }),
    scenario: { keys, registry: { missing: { "pytorch/pytorch": 99 } } },
  });

  const error = await session.errorOfMain();
  expect(error.name).toBe("CheckFailedError");
  expect(error.message.split("\n")).toEqual([
    "8 checks failed. Nothing was rented.",
    "- credit: The service's account has 25.00 USD of credit, less than min-credit (100.00 USD). Nothing was rented.",
    "- api-key may create and destroy (instance_write): its permissions are misc, user_read, instance_read; instance_write is missing",
    expect.stringMatching(
      /^- github-token \(a token of a GitHub App or of a workflow\) may register runners: github-token may not register/,
    ),
    expect.stringMatching(/^- GitHub offers a runner program with a SHA-256: github-token may not register/),
    expect.stringMatching(/^- the label gpu-4711-1 is free: github-token may not list the runners/),
    '- the template is there: No template is named "Torch for tests". Nothing was rented.',
    expect.stringMatching(
      /^- the image is in its registry: its registry has no \S+\/pytorch\/pytorch:\S+, and says MANIFEST_UNKNOWN/,
    ),
    expect.stringMatching(/^- api-key may search \(misc\), and an offer fits: No RTX 4090 under 0\.0500 USD per hour/),
  ]);
  expect(error.hint).toContain("Raise max-price to 0.32 USD or more.");
  expect(error.hint).toContain("Add credit to the service's account, or lower min-credit.");
  // This one need not see the jobs, and is not asked for it.
  expect(error.log).toMatch(
    /^\? {3}job-token \(.*\) may see the jobs of this run: not asked: hold: false goes without it$/m,
  );

  await session.endWithoutRenting();
});
