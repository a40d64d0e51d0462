import { expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { shownError } from "../support/shown-error.ts";
import { startSession, until } from "../support/simulated-session.ts";

const FORMS = ["404", "410", "400", "200"] as const;

/** Offers 11 to 14 are gone, each in a form of its own. */
const TAKEN = FORMS.map(
  (form, index) => ({ operation: "createInstance", kind: "offer-gone", offer: 11 + index, form }) as const,
);

test.concurrent("takes the next offer when one is gone, in whatever form the service says so", async () => {
  const offers = [11, 12, 13, 14, 15].map((id) => ({ id, dph_base: 0.3 + id / 1000 }));
  await using session = await startSession({ scenario: { offers, faults: [...TAKEN] } });

  const main = await session.step.mainSucceeds();
  expect(main.outputs["offer-id"]).toBe("15");
  // In the order of prices. A 429, which asks again, is no fault: the service's clock is not ours.
  const creates = session.sim.service.journal.of("createInstance");
  const asked = creates.filter(({ status }) => status !== 429);
  expect(asked.map(({ path }) => path)).toEqual([11, 12, 13, 14, 15].map((id) => `/api/v0/asks/${id}/`));
  // Each create has its own runner configuration; those that came to nothing are removed.
  expect(session.sim.github.journal.of("generateJitConfig")).toHaveLength(creates.length);
  expect(session.sim.github.journal.of("removeRunner").map(({ status }) => status)).toEqual(
    creates.slice(1).map(() => 204),
  );

  await session.endClean();
});

test.concurrent("fails when every offer is gone, and has rented nothing", async () => {
  const offers = [11, 12, 13, 14].map((id) => ({ id }));
  await using session = await startSession({ with: { attempts: "1" }, scenario: { offers, faults: [...TAKEN] } });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "OffersExhaustedError",
    message:
      "None of the 4 matching offers could be rented. 'test' did not run, and will be cancelled with the run once no other job is open. Nothing was rented.",
  });
  expect(session.instances()).toEqual([]);

  const post = await session.endClean();
  expect(post.log).toContain("Nothing was rented.");
  expect(session.sim.github.runners()).toEqual([]);
});

test.concurrent("leaves no stopped instance behind on a machine that can't be had right now", async () => {
  // The service would make one, which bills its disk, if it were not told otherwise.
  const offers = [{ id: 11, dph_base: 0.3, simulate: { unavailable: true } }, { id: 12 }];
  await using session = await startSession({ scenario: { offers } });

  await session.step.mainSucceeds();
  expect(session.instances().map(({ offer }) => offer.id)).toEqual([12]);

  await session.endClean();
});

test.concurrent("gives back the machine of an offer that another run got, too, and takes the next one", async () => {
  const offers = [{ id: 11, dph_base: 0.3, simulate: { takenTwiceWithin: 60 } }, { id: 12 }];
  const late = { operation: "createInstance", kind: "delay", seconds: 10, nth: 1, times: 1 } as const;
  await using session = await startSession({ scenario: { offers, faults: [late], limits: false } });

  const stage = session.step.startMain();
  await until(() => session.sim.service.journal.of("createInstance").length > 0, "main's create");
  const { url, apiKey } = session.sim.service;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ image: "debian:13", label: "another run's", disk: 10 });
  const answer = await fetch(`${url}/api/v0/asks/11/`, { method: "PUT", headers, body });
  expect(answer.status, await answer.text()).toBe(200);

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  const [theirs, second, good] = session.instances();
  expect([theirs, second, good].map((each) => each?.offer.id)).toEqual([11, 11, 12]);
  expect(main.log).toContain("port is already allocated");
  expect(second && destruction(second)?.by).toBe("account");
  expect(main.outputs["instance-id"]).toBe(String(good?.id));

  await session.step.postSucceeds();
  // The other run's is not ours to give back.
  expect(theirs && destruction(theirs)).toBeUndefined();
  await fetch(`${url}/api/v0/instances/${theirs?.id}/`, { method: "DELETE", headers });
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
