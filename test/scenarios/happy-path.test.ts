import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { gpuJob, RENT_JOB } from "../support/simulated-session.ts";

test("rents, runs the GPU job on the machine with its variables and no secret of ours, and gives it back", async ({
  start,
}) => {
  // A job that lasts: of a machine that is gone before main could look at it, less is known.
  const doings = `echo '31 7372 71 310.50 0x0000000000000000' >"\${SIM_MACHINE}sim/gpu"`;
  const session = await start({
    with: { env: "DATASET=tiny set\n# a comment\nSEED=7" },
    jobs: [RENT_JOB, gpuJob([doings, "nvidia-smi", 'echo "dataset $DATASET, seed $SEED"', "env", "sleep 30"])],
  });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("The GPU job is over.");
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.run.job("test").log).toContain("dataset tiny set, seed 7");
  expect(session.run.job("test").log).not.toMatch(/^(GHR_|CONTAINER_API_KEY)/m);
  expect(session.rentedOffers()).toEqual([11]);
  const instance = String(session.instances()[0]?.id);
  expect(main.outputs).toEqual({
    "instance-id": instance,
    "runner-label": "gpu-4711-1",
    receipt: expect.stringMatching(/ephemeral-gpu-runner-[a-z0-9]{6}\.json$/),
    events: expect.stringMatching(/ephemeral-gpu-runner-[a-z0-9]{6}-events\.jsonl$/),
    "runner-name": session.run.job("test").runnerName,
    "offer-id": "11",
    "machine-id": "40211",
    "gpu-name": "RTX 4090",
    "num-gpus": "1",
    // 0.31 for the GPU, and 32 GB at 0.15 a month of 720 h.
    "dph-total": String(0.31 + (32 * 0.15) / 720),
    "ssh-host": expect.stringMatching(/^ssh\d\.service\.invalid$/),
    "ssh-port": expect.stringMatching(/^\d+$/),
    "seconds-to-ready": expect.stringMatching(/^\d+$/),
    "instance-ids": `[${instance}]`,
    "runner-names": JSON.stringify([session.run.job("test").runnerName]),
    "gpu-figures": expect.stringContaining('"source":"machine"'),
  });

  const post = await session.endClean();
  expect(post.log).toContain("Nothing is rented any more.");
  expect(Object.keys(post.temp).sort(), "post writes the same files").toEqual(Object.keys(main.temp).sort());
  expect(post.summary).toContain(`| 1 | 40211 | 11 | ${instance} | 1 × RTX 4090 | 0.32 USD | `);
  // By the line in the job's log, which lies with another host than GitHub's API.
  expect(post.summary).toMatch(/^machine 1 {2}GPU .* \d+% median, 31% peak$/m);
  expect(post.summary).toContain("7.2 of 24.0 GB");
  expect(post.summary).toContain("source                        the machine's own driver");
  const logs = session.sim.github.journal.entries.filter(({ path }) => path.startsWith("/_logs/"));
  expect(logs.map(({ status, token }) => [status, token])).toEqual([[200, "none"]]);
  expect(post.summary).toMatch(
    /\| job 1, \[test\]\(https:\/\/github\.com\/octo\/gpu-lib\/actions\/runs\/\d+\/job\/\d+\): success, \d+s, 0\.\d+ USD \|/,
  );
  expect(post.summary).toMatch(/It cost .* USD: .* for machines, .* This step took .* About .* of credit is left\.$/m);
  expect(post.summary).toContain("**Still rented: nothing.**");
});

test("works with a service that keeps to the letter of the specification", async ({ start }) => {
  const session = await start({ dialect: "seed" });

  const main = await session.step.mainSucceeds();
  expect(session.run.job("test").conclusion).toBe("success");
  // An offer of the specification has neither a machine nor prices beside the total.
  expect(main.outputs).toMatchObject({ "machine-id": "", "gpu-name": "RTX 4090", "num-gpus": "1" });
  expect(Number(main.outputs["dph-total"])).toBeGreaterThan(0);
  expect(Number(main.outputs["dph-total"])).toBeLessThanOrEqual(0.6);

  const post = await session.endClean();
  expect(post.summary).toContain("| unknown |");
});
