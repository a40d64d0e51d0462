import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { startSession } from "../support/simulated-session.ts";

test("fails without renting when no offer matches, and says what was asked for and what came near", async () => {
  // The service applies its filters, so a second look tells what they keep away.
  await using session = await startSession({ with: { "max-price": "0.05", disk: "40", "search-timeout": "10m" } });

  const main = await session.step.mainFails();
  const error = shownError(main.log);
  expect(error.name).toBe("NoOfferError");
  expect(error.message).toBe(
    "No RTX 4090 under 0.0500 USD per hour: the cheapest that fits otherwise is 0.32 USD. Two searches without the other filters, rented machines included, found nothing better. Waiting can't help. 'test' did not run, and will be cancelled with the run once no other job is open. Nothing was rented. " +
      "No offer matches: 1 × RTX 4090, at most 0.0500 USD per hour, traffic at most 0.0500 USD per GB, reliability 0.95 or more, 40 GB of disk, " +
      "compute capability 7.0 or more, CUDA 12.8 or more, 200 Mbit/s down or more.",
  );
  expect(error.hint).toBe("Raise max-price to 0.32 USD or more.");
  // The market's own line for each offer: its price, and why not.
  expect(main.log).toMatch(
    /offer 12 \(1 × RTX 4090, host 40305\), 0\.35 USD per hour: no, 0\.35 USD per hour with storage/,
  );
  expect(session.sim.service.journal.of("createInstance")).toEqual([]);
  expect(session.sim.github.journal.of("generateJitConfig")).toEqual([]);

  const post = await session.endClean();
  expect(post.log).toContain("Nothing was rented.");
});

test("a GPU's name that nobody has: the nearest that there is", async () => {
  await using session = await startSession({ with: { "gpu-name": "RTX4O90" } });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "NoOfferError",
    message: expect.stringContaining("1 × RTX4O90"),
    hint: expect.stringMatching(
      /^Set `gpu-name: RTX 4090(, .*)?`, the nearest that the service knows: \d fit, from 0\.\d\d USD per hour\.$/,
    ),
  });
  await session.endClean();
});

test.each([
  [
    "a name that nobody has",
    { "gpu-name": "RTX4O90" },
    "The service shows no RTX4O90 at all: no host offers a GPU by that name.",
  ],
  [
    "max-price below half of the cheapest",
    { "max-price": "0.05" },
    "No RTX 4090 under 0.0500 USD per hour: the cheapest that fits otherwise is 0.32 USD.",
  ],
])("%s: fails after two searches, whatever search-timeout says", async (_what, inputs, sentence) => {
  await using session = await startSession({ with: { ...inputs, "search-timeout": "10m" } });

  const main = await session.step.mainFails();
  const { message } = shownError(main.log);
  expect(message).toContain(
    `${sentence} Two searches without the other filters, rented machines included, found nothing better. Waiting can't help. 'test' did not run, and`,
  );
  // Each of these is a look at what fits, at these GPUs, at other GPUs, and at all of that name.
  expect(session.sim.service.journal.of("searchOffers").length).toBeLessThanOrEqual(16);
  await session.endClean();
});
