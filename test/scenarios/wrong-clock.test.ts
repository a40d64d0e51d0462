import { expect, test } from "vitest";
import { gpuJob, RENT_JOB, startSession, until } from "../support/simulated-session.ts";

test.concurrent.each([100, -100])(
  "the machine's clock is %d s off: it works, and ends itself at its deadline all the same",
  async (seconds) => {
    const machine = { clockOffsetSeconds: seconds };
    await using session = await startSession({
      with: { hold: "false", "max-lifetime": "1m", "boot-timeout": "1m", "online-timeout": "2m" },
      scenario: { offers: [{ id: 11, simulate: { machine } }] },
      // It can't be interrupted, so that only the deadline ends it.
      jobs: [RENT_JOB, gpuJob(["trap '' INT TERM", "while true; do sleep 5; done"])],
    });

    await session.step.mainSucceeds();
    await until(() => session.run.job("test").status === "in_progress", "the job");
    await until(() => session.sim.service.books.billingNow().length === 0, "the machine's own deadline");
    const destroys = session.sim.service.journal.of("destroyInstance").filter(({ status }) => status === 200);
    expect(destroys[0]?.caller).toBe(`instance ${session.instances()[0]?.id}`);

    await session.endClean();
  },
);
