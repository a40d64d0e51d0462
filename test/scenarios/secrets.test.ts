import { expect } from "vitest";
import type { StageResult } from "../../simulator/actions/stage.ts";
import { test } from "../support/scenario.ts";
import { gpuJob, RENT_JOB, type SimulatedSession } from "../support/simulated-session.ts";

/** All secrets: the job's own, and those that the two services handed out on the way. */
function secretsOf({ sim, instances }: SimulatedSession): string[] {
  const machines = instances().flatMap(({ apiKey, order }) => [apiKey, String(order.env.GHR_JIT)]);
  return [sim.service.apiKey, sim.github.runnerToken, sim.github.jobToken, ...machines];
}

/** Hidden by the platform from then on; `stillBilling` saw to it that they stand nowhere else. */
function masked(stage: StageResult): string[] {
  return stage.log.split("\n").flatMap((line) => (line.startsWith("::add-mask::") ? [line.slice(12)] : []));
}

/** A secret as it is, and as it would stand in a summary: the platform masks both. */
function bothForms(secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => [...new Set([secret, secret.replaceAll("_", "&#95;")])]);
}

test("masks every secret before anything can print it, and prints none, in a run that goes well", async ({ start }) => {
  const session = await start();

  const main = await session.step.mainSucceeds();
  const known = bothForms(secretsOf(session).slice(0, 3));
  expect(main.log.split("\n").slice(0, known.length)).toEqual(known.map((secret) => `::add-mask::${secret}`));
  expect(masked(main)).toEqual(expect.arrayContaining(secretsOf(session)));
  // A masked substring would make the platform drop the outputs of the job.
  for (const value of Object.values(main.outputs)) {
    for (const secret of masked(main)) expect(value).not.toContain(secret);
  }

  const post = await session.endClean();
  expect(masked(post)).toEqual(known);
});

test("prints no secret in a run in which everything goes wrong", async ({ start }) => {
  const bad = { statuses: [{ after: 1, actual_status: "exited" }] };
  const session = await start({
    with: { attempts: "2" },
    jobs: [RENT_JOB, gpuJob(["env", "exit 1"])],
    scenario: {
      offers: [{ id: 11, dph_base: 0.3, simulate: bad }, { id: 12 }],
      faults: [
        { operation: "createInstance", nth: 2, kind: "lose-answer" },
        { operation: "getInstance", nth: 2, times: 3, kind: "text", status: 502, text: "<html>Bad gateway</html>" },
        { operation: "destroyInstance", caller: "account", nth: 1, kind: "status", status: 500 },
      ],
    },
  });
  session.sim.github.setFaults([{ operation: "generateJitConfig", nth: 1, kind: "lose-answer" }]);

  const main = await session.step.mainFails();
  expect(session.instances()).toHaveLength(2);
  // The key of a create without an answer is not known here, so that it can't be printed.
  expect(masked(main)).toEqual(
    expect.arrayContaining(session.instances().map(({ order }) => String(order.env.GHR_JIT))),
  );
});

test("the check that ends every scenario finds a secret, a foreign command and a bug", async ({ start }) => {
  const session = await start({ machines: false, with: { "max-price": "free" } });
  await session.step.mainFails();
  const [ended] = session.step.results.splice(0);
  const billing = (left: Partial<StageResult>) => () => {
    session.step.results.splice(0, 1, { ...(ended as StageResult), log: "", ...left });
    return session.stillBilling();
  };

  expect(billing({ log: `::add-mask::${session.sim.service.apiKey}` })()).toBe("still billing: 0 instances");
  expect(billing({ log: `Key ${session.sim.service.apiKey}` })).toThrow("the API key stands in the log of stage 1.");
  expect(billing({ summary: session.sim.github.jobToken })).toThrow("the job token stands in the files of stage 1.");
  expect(billing({ log: "::set-env name=PATH::/tmp" })).toThrow("It printed a command that is not its own");
  expect(billing({ log: "::error title=Bug::This is a bug of ephemeral-gpu-runner: x" })).toThrow("This is a bug");
  session.step.results.splice(0);
});
