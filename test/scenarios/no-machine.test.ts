import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import { BUILD_JOB, gpuJob, RENT_JOB } from "../support/simulated-session.ts";

/** Nothing is offered at this price. */
const HOPELESS = { "max-price": "0.05", "search-timeout": "10m" };

test("no machine can be had, nothing else runs: the error says why, and post cancels the run as its last act", async ({
  start,
}) => {
  const session = await start({ with: { ...HOPELESS, disk: "40" } });

  const { log, ...error } = await session.errorOfMain();
  expect(error.name).toBe("NoOfferError");
  expect(error.message).toBe(
    "No RTX 4090 under 0.0500 USD per hour: the cheapest that fits otherwise is 0.32 USD. Two searches without the other filters, rented machines included, found nothing better. Waiting can't help. 'test' did not run, and will be cancelled with the run once no other job is open. Nothing was rented. " +
      "No offer matches: 1 × RTX 4090, at most 0.0500 USD per hour, traffic at most 0.0500 USD per GB, reliability 0.95 or more, 40 GB of disk, " +
      "compute capability 7.0 or more, CUDA 12.8 or more, 200 Mbit/s down or more.",
  );
  expect(error.hint).toBe("Raise max-price to 0.32 USD or more.");
  expect(log).toMatch(/offer 12 \(1 × RTX 4090, host 40305\), 0\.35 USD per hour: no, 0\.35 USD per hour with storage/);
  expect(log).toMatch(/^No machine can be had for 'test' \(http.*\)\. Nothing is rented\./m);
  expect(session.run.cancelRequested).toBe(false);
  expect(session.sim.github.journal.of("generateJitConfig")).toEqual([]);
  // The failing main asks on with the client that it had: a list that has not changed is not counted.
  const looks = session.sim.github.journal.of("listJobs");
  expect(looks.length).toBeGreaterThan(2);
  expect(looks.filter(({ status }) => status !== 304)).toHaveLength(1);

  const post = await session.endWithoutRenting();
  session.run.job("rent").complete("failure");
  expect(post.summary).toMatch(/^### No machine could be rented\.\n\nNo RTX 4090 under 0\.0500 USD/);
  expect(post.summary).toContain("**What to do:** ");
  expect(post.summary).toContain("**Still rented: nothing.**");
  expect(post.log.trimEnd().split("\n").at(-1)).toBe("GitHub cancels the run: its GPU job can have no machine.");
  expect(session.run.job("test")).toMatchObject({ status: "completed", conclusion: "cancelled" });
  expect(session.run.conclusion).toBe("cancelled");
  // A cancel that comes while post still runs would make the rent job's own result *cancelled*.
  expect(session.sim.github.journal.entries.at(-1)?.operation).toBe("cancelRun");
  expect(session.sim.github.journal.of("cancelRun")).toHaveLength(1);
  expect(session.sim.github.journal.of("forceCancelRun")).toEqual([]);
});

test("another job of the run is worth a wait: main tells at once, and waits for its end", async ({ start }) => {
  const session = await start({ with: HOPELESS, jobs: [RENT_JOB, BUILD_JOB, gpuJob()] });
  const main = await session.mainUntil("The run will be cancelled when its other open job is over; after 30m");
  expect(shownError(main.log()).name).toBe("NoOfferError");
  session.run.job("build").complete("success");

  expect((await main.done).exitCode).toBe(1);
  await session.endWithoutRenting();
  session.run.job("rent").complete("failure");
  expect(session.run.job("build").conclusion).toBe("success");
  expect(session.run.job("test").conclusion).toBe("cancelled");
});

test("if-no-machine: leave leaves the run alone, and one annotation says so", async ({ start }) => {
  const session = await start({ with: { ...HOPELESS, "if-no-machine": "leave" } });
  expect((await session.errorOfMain()).message).toContain(
    "'test' did not run, and will wait for up to a day: cancel the run.",
  );

  const post = await session.endWithoutRenting();
  expect(shownWarnings(post.log)).toEqual([]);
  expect(session.run.job("test").status).toBe("queued");
  expect(session.run.cancelRequested).toBe(false);
});
