import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { shownWarnings } from "../support/shown-error.ts";

const CREATE = "createInstance";

/** The create is refused with this status, and was carried out all the same. */
const refusedAndMade = (nth: number, status: number, error: string) =>
  ({ operation: CREATE, nth, kind: "status", status, body: { error, msg: "no" }, when: "after" }) as const;

test("what a refused create made all the same is destroyed; what a 429 made is used, and no other is asked for", async ({
  start,
}) => {
  const session = await start({
    scenario: {
      faults: [
        { operation: CREATE, nth: 1, kind: "error-with-contract" },
        refusedAndMade(2, 401, "auth_error"),
        refusedAndMade(3, 429, "rate_limit_exceeded"),
      ],
    },
  });

  const main = await session.step.mainSucceeds();
  const [stopped, unwanted, used] = session.instances();
  expect(session.instances()).toHaveLength(3);
  expect(main.log).toContain(`Vast.ai refused, and still made instance ${stopped?.id}`);
  expect(shownWarnings(main.log)).toContain(
    `Vast.ai refused, and still made instance ${unwanted?.id} (auth_error: no). Destroying it.`,
  );
  expect(session.destroyers().slice(0, 2)).toEqual(["account", "account"]);
  expect(main.outputs["instance-id"]).toBe(String(used?.id));
  expect(session.run.job("test").conclusion).toBe("success");
});

test("no credit left at the moment of the create: believed at the second refusal, and nothing was rented", async ({
  start,
}) => {
  const session = await start({ scenario: { faults: [{ operation: CREATE, kind: "no-credit" }] } });

  expect(await session.errorOfMain()).toMatchObject({
    name: "NoCreditError",
    message: expect.stringMatching(/^Vast.ai rents nothing to this account: .*lacks credit.* Nothing was rented\.$/),
    hint: "Add credit to the service's account.",
  });
  expect(session.sim.service.journal.of(CREATE)).toHaveLength(2);
});
