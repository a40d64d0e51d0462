import { expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import { startSession } from "../support/simulated-session.ts";

test.concurrent("destroys the stopped instance that comes with an error, and takes the next offer", async () => {
  await using session = await startSession({
    scenario: { faults: [{ operation: "createInstance", nth: 1, kind: "error-with-contract" }] },
  });

  const main = await session.step.mainSucceeds();
  const [unwanted, good] = session.instances();
  expect(main.log).toContain(`Vast.ai refused, and still made instance ${unwanted?.id}`);
  expect(unwanted && destruction(unwanted)?.by).toBe("account");
  expect(main.outputs["instance-id"]).toBe(String(good?.id));
  expect(main.log).toContain("machine 1: failed: ");

  await session.endClean();
});

const refusedAndMade = (status: number, error: string) =>
  ({ operation: "createInstance", nth: 1, kind: "status", status, body: { error, msg: "no" }, when: "after" }) as const;

test.concurrent("destroys the instance that a refused key made all the same, and says by which words it was refused", async () => {
  await using session = await startSession({ scenario: { faults: [refusedAndMade(401, "auth_error")] } });

  const main = await session.step.mainSucceeds();
  const [unwanted, good] = session.instances();
  expect(shownWarnings(main.log)).toEqual([
    `Vast.ai refused, and still made instance ${unwanted?.id} (auth_error: no). Destroying it.`,
  ]);
  expect(unwanted && destruction(unwanted)?.by).toBe("account");
  expect(main.outputs["instance-id"]).toBe(String(good?.id));

  await session.endClean();
});

test.concurrent("uses the instance that a 429 made all the same, and asks for no other", async () => {
  await using session = await startSession({ scenario: { faults: [refusedAndMade(429, "rate_limit_exceeded")] } });

  const main = await session.step.mainSucceeds();
  expect(session.sim.service.journal.of("createInstance").map(({ status }) => status)).toEqual([429]);
  expect(main.outputs["instance-id"]).toBe(String(session.instances()[0]?.id));
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
});

test.concurrent("stops when the account has no credit left at the moment of the create", async () => {
  await using session = await startSession({
    scenario: { faults: [{ operation: "createInstance", kind: "no-credit" }] },
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "NoCreditError",
    message: expect.stringMatching(/^Vast.ai rents nothing to this account: .*lacks credit.* Nothing was rented\.$/),
    hint: "Add credit to the service's account.",
  });
  // One refusal may be a mistake: it is believed when a second create is refused as well.
  expect(session.sim.service.journal.of("createInstance")).toHaveLength(2);

  await session.endClean();
  expect(session.sim.github.runners()).toEqual([]);
});

test.concurrent("sees before it rents that the account has no credit", async () => {
  await using session = await startSession({ scenario: { user: { credit: 0 } } });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "NoCreditError",
    message: expect.stringContaining("it has 0.00 USD of credit"),
  });
  expect(session.sim.service.journal.of("createInstance")).toEqual([]);
  expect(session.sim.github.journal.of("generateJitConfig")).toEqual([]);

  const post = await session.endClean();
  expect(post.log).toContain("Nothing was rented");
});

test.concurrent("asks for the same offer again after a 429, which says that nothing was carried out", async () => {
  await using session = await startSession({
    scenario: {
      faults: [
        {
          operation: "createInstance",
          nth: 1,
          times: 2,
          kind: "text",
          status: 429,
          text: "API requests too frequent: endpoint threshold=4.5*1.0",
        },
      ],
    },
  });

  await session.step.mainSucceeds();
  const creates = session.sim.service.journal.of("createInstance");
  expect(creates.map(({ path, status }) => [path, status])).toEqual([
    ["/api/v0/asks/11/", 429],
    ["/api/v0/asks/11/", 429],
    ["/api/v0/asks/11/", 200],
  ]);

  await session.endClean();
});

test.concurrent("stops with the service's sentence when the request itself is at fault", async () => {
  const body = { success: false, error: "invalid_args", msg: "image name ::set-output is not allowed" };
  await using session = await startSession({
    scenario: { faults: [{ operation: "createInstance", kind: "status", status: 400, body }] },
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "CreateRefusedError",
    message:
      "Vast.ai refused to create the instance (400): invalid_args: image name ::set-output is not allowed. 'test' did not run, and will be cancelled with the run once no other job is open. Nothing was rented.",
  });
  // One refusal may be a mistake: it is believed when a second create is refused as well.
  expect(session.sim.service.journal.of("createInstance")).toHaveLength(2);

  await session.endClean();
  expect(session.sim.github.runners()).toEqual([]);
});
