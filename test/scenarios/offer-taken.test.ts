import { expect } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { test } from "../support/scenario.ts";
import { until } from "../support/simulated-session.ts";

/** Offers 11 to 14 are gone, each in a form of its own. */
const TAKEN = (["404", "410", "400", "200"] as const).map(
  (form, index) => ({ operation: "createInstance", kind: "offer-gone", offer: 11 + index, form }) as const,
);

test("takes the next offer when one is gone, in whatever form the service says so, and leaves nothing behind", async ({
  start,
}) => {
  const offers = [11, 12, 13, 14, 15, 16].map((id) => ({
    id,
    dph_base: 0.3 + id / 1000,
    // The service would make a stopped instance, which bills its disk, if it were not told otherwise.
    simulate: { unavailable: id === 15 },
  }));
  const session = await start({ scenario: { offers, faults: [...TAKEN] } });

  await session.step.mainSucceeds();
  expect(session.rentedOffers()).toEqual([16]);
  // In the order of prices. A 429, which asks again, is no fault: the service's clock is not ours.
  const creates = session.sim.service.journal.of("createInstance");
  const asked = creates.filter(({ status }) => status !== 429);
  expect(asked.map(({ path }) => path)).toEqual(offers.map(({ id }) => `/api/v0/asks/${id}/`));
  // Each create has its own runner configuration; those that came to nothing are removed.
  expect(session.sim.github.journal.of("generateJitConfig")).toHaveLength(creates.length);
  expect(session.sim.github.journal.of("removeRunner").map(({ status }) => status)).toEqual(
    creates.slice(1).map(() => 204),
  );
});

test("gives back the machine of an offer that another run got, too, and takes the next one", async ({ start }) => {
  const offers = [{ id: 11, dph_base: 0.3, simulate: { takenTwiceWithin: 60 } }, { id: 12 }];
  const late = { operation: "createInstance", kind: "delay", seconds: 10, nth: 1, times: 1 } as const;
  const session = await start({ scenario: { offers, faults: [late], limits: false } });
  const stage = session.step.startMain();
  await until(() => session.sim.service.journal.of("createInstance").length > 0, "main's create");
  const { url, apiKey } = session.sim.service;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ image: "debian:13", label: "another run's", disk: 10 });
  const answer = await fetch(`${url}/api/v0/asks/11/`, { method: "PUT", headers, body });
  expect(answer.status, await answer.text()).toBe(200);

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.rentedOffers()).toEqual([11, 11, 12]);
  const [theirs] = session.instances();
  expect(main.log).toContain("port is already allocated");
  expect(session.destroyers()[1]).toBe("account");
  expect(main.outputs["offer-id"]).toBe("12");

  await session.step.postSucceeds();
  // The other run's is not ours to give back.
  expect(theirs && destruction(theirs)).toBeUndefined();
  await fetch(`${url}/api/v0/instances/${theirs?.id}/`, { method: "DELETE", headers });
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
