import { expect, test } from "vitest";
import { packText } from "../../src/machine/script/pack-text.ts";
import { machineThatWent, setupOf } from "./support/test-machine.ts";

test.concurrent("goes on when the probe is content", async () => {
  await using machine = await machineThatWent({
    env: { GHR_PROBE: packText(`echo probe >>"$ONSTART_TEST/calls.log"`) },
  });
  expect(machine.calls.only("PUT", "nvidia-smi", "probe", "listener", "job")).toEqual([
    'PUT {"state":"running"} → 200',
    "nvidia-smi -L",
    "probe",
    "listener run",
    "job started",
    "job ended",
  ]);
});

test.concurrent("gives the machine back when the probe fails, with its last words, before setup", async () => {
  await using machine = await machineThatWent({
    env: {
      GHR_PROBE: packText("echo first; echo 'CUDA error: no kernel image' >&2; exit 3"),
      ...setupOf(`echo setup >>"$ONSTART_TEST/calls.log"`, 600),
    },
  });
  expect(machine.calls.only("setup", "listener")).toEqual([]);
  expect(machine.read("log")).toContain(
    "This machine is no good: probe ended with code 3. CUDA error: no kernel image\n",
  );
});

test.concurrent("gives the machine back when the probe takes longer than two minutes", async () => {
  await using machine = await machineThatWent({
    env: { GHR_PROBE: packText("trap '' INT TERM; echo 'loading'; sleep 7200") },
  });
  expect(machine.calls.only("listener")).toEqual([]);
  expect(machine.read("log")).toContain("This machine is no good: probe took longer than 120 s. loading\n");
});
