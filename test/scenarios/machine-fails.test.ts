import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { startSession } from "../support/simulated-session.ts";

/** Boots to that state after so many seconds. */
function boot(actual_status: string, status_msg?: string, after = 3) {
  return {
    statuses: [
      { after: 1, actual_status: "loading" },
      { after, actual_status, ...(status_msg ? { status_msg } : {}) },
    ],
  };
}

test.concurrent("destroys a machine that is exited, offline or unknown, and takes another one", async () => {
  const offers = [
    // So late that the market is searched anew.
    { id: 11, machine_id: 501, dph_base: 0.3, simulate: boot("exited", undefined, 65) },
    // The next cheapest offer is the same machine: it is not taken a second time.
    { id: 12, machine_id: 501, dph_base: 0.31 },
    { id: 13, machine_id: 503, dph_base: 0.32, simulate: boot("offline") },
    { id: 14, machine_id: 504, dph_base: 0.33, simulate: boot("unknown") },
    { id: 15, machine_id: 505, dph_base: 0.34 },
  ];
  await using session = await startSession({ scenario: { offers } });

  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(/offer 12 \(.*host 501\).*: no, a machine of it failed lately/);
  expect(session.instances().map(({ offer }) => offer.id)).toEqual([11, 13, 14, 15]);
  expect(main.outputs["offer-id"]).toBe("15");
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
});

test.concurrent("stops when a second machine can't pull the image either", async () => {
  const denied = boot(
    "loading",
    "Error response from daemon: pull access denied for octo/private, repository does not exist",
  );
  const offers = [11, 12, 13].map((id) => ({ id, simulate: denied }));
  await using session = await startSession({ with: { image: "octo/private:1" }, scenario: { offers } });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "ImageUnusableError",
    message: expect.stringContaining(
      "The registry refused two machines the image octo/private:1: Error response from daemon: pull access denied",
    ),
    hint: expect.stringContaining("image-login"),
  });
  expect(session.instances()).toHaveLength(2);
  expect(session.stillBilling()).toBe("still billing: 0 instances");

  await session.endClean();
});

test.concurrent("an image that is an Alpine, which its name hides: two machines say so, and no third is rented", async () => {
  const offers = [11, 12, 13].map(
    (id) => ({ id, machine_id: id * 10, simulate: { machine: { libc: "musl" } } }) as const,
  );
  await using session = await startSession({ with: { image: "octo/slim:1" }, scenario: { offers } });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "ImageUnusableError",
    message: expect.stringContaining(
      "Two machines could not use the image octo/slim:1: Alpine images can't run the GitHub runner: it needs glibc.",
    ),
    hint: expect.stringContaining("Look at the image"),
  });
  expect(session.instances()).toHaveLength(2);

  await session.endClean();
});

test.concurrent("blames the host and not the image when its disk is full, and shows its words without obeying them", async () => {
  const full = boot("created", "no space left on device\n::error title=Pwned::obey\n##[warning]me | `x`");
  const offers = [
    { id: 11, dph_base: 0.3, simulate: full },
    { id: 12, dph_base: 0.31, simulate: full },
    { id: 13, dph_base: 0.32 },
  ];
  await using session = await startSession({ scenario: { offers } });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("no space left on device ::error title=Pwned::obey");
  expect(session.instances().map(({ offer }) => offer.id)).toEqual([11, 12, 13]);

  const post = await session.endClean();
  expect(post.summary).toContain("no space left on device");
  expect(post.summary).not.toContain("`x`");
});

test.concurrent("waits for an instance that the service lists late", async () => {
  await using session = await startSession({ scenario: { visibilityLagSeconds: 25 } });

  await session.step.mainSucceeds();
  expect(session.instances()).toHaveLength(1);

  await session.endClean();
});
