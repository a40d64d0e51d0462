import { expect, test } from "vitest";
import type { Simulate } from "../../simulator/scenario.ts";
import { destruction } from "../../simulator/service/instance-record.ts";
import { shownError } from "../support/shown-error.ts";
import { startUse } from "../support/use-of-action.ts";

function market(bad: Simulate) {
  return [{ id: 11, dph_base: 0.3, simulate: bad }, { id: 12 }];
}

test("destroys a machine whose container hangs: its runner is not online within online-timeout", async () => {
  const offers = market({ machine: { onstart: "skip" } });
  await using use = await startUse({ with: { "online-timeout": "30s" }, scenario: { offers } });

  const main = await use.step.startMain().done;
  expect(main.exitCode).toBe(0);
  expect(main.log).toContain("its runner did not come online within online-timeout (30s)");
  const [bad] = use.instances();
  expect(bad && destruction(bad)?.by).toBe("account");
  expect(main.outputs["offer-id"]).toBe("12");

  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test("never lets a job onto a machine that can't prove that it can end itself", async () => {
  const offers = market({ instanceKey: "wrong" });
  await using use = await startUse({ with: { "online-timeout": "30s" }, scenario: { offers } });

  const main = await use.step.startMain().done;
  expect(main.exitCode).toBe(0);
  const [bad, good] = use.instances();
  expect(bad && destruction(bad)?.by).toBe("account");
  expect(good && main.outputs["instance-id"]).toBe(String(good?.id));
  expect(use.run.job("test").runnerName).toBe(main.outputs["runner-name"]);

  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test("takes another machine when nvidia-smi sees no GPU; the bad one has given itself back", async () => {
  await using use = await startUse({ scenario: { offers: market({ machine: { gpus: 0 } }) } });

  const main = await use.step.startMain().done;
  expect(main.exitCode).toBe(0);
  const [bad] = use.instances();
  expect(bad && destruction(bad)?.by).toBe("instance");
  expect(main.outputs["offer-id"]).toBe("12");

  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test("runs no program whose SHA-256 is not the one that GitHub names", async () => {
  await using use = await startUse({ with: { attempts: "2" } });
  use.sim.github.publishSha256("0".repeat(64));

  const main = await use.step.startMain().done;
  expect(main.exitCode).toBe(1);
  expect(shownError(main.log).name).toBe("AttemptsExhaustedError");
  expect(use.instances().map((instance) => destruction(instance)?.by)).toEqual(["instance", "instance"]);
  expect(use.run.job("test").status).toBe("queued");

  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.sim.github.runners()).toEqual([]);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});
