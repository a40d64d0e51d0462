import { expect, test } from "vitest";
import { outputsOf } from "../../../src/report/outputs.ts";
import { aReadyMachine } from "../support/a-machine.ts";
import { anOffer } from "../support/an-offer.ts";

const MACHINE = aReadyMachine();
const NAMED = {
  figures: "[]",
  runnerLabel: "gpu-4711-1",
  secondsToReady: 95,
  runtype: "ssh_proxy",
} as const;

test("every output of action.yml but the events, as text", () => {
  expect(outputsOf(MACHINE, [MACHINE], { ...NAMED, receipt: "/tmp/receipt.json" })).toEqual({
    "instance-id": "7",
    "runner-label": "gpu-4711-1",
    "runner-name": "gpu-4711-1-abcdef-1",
    "offer-id": "11",
    "machine-id": "100",
    "gpu-name": "RTX 4090",
    "num-gpus": "2",
    "dph-total": "0.42",
    "ssh-host": "ssh1.example",
    "ssh-port": "12345",
    "seconds-to-ready": "95",
    "instance-ids": "[7]",
    "runner-names": '["gpu-4711-1-abcdef-1"]',
    receipt: "/tmp/receipt.json",
    "gpu-figures": "[]",
  });
});

test("the price is the one that the service asks by now, as in the receipt", () => {
  const dearer = aReadyMachine({ usdPerHour: 0.84 });
  expect(outputsOf(dearer, [dearer], { ...NAMED, receipt: "" })).toMatchObject({ "dph-total": "0.84" });
});

test("what the service does not show is empty, and never the word undefined", () => {
  const candidate = { ...MACHINE.candidate, offer: anOffer({ machine_id: undefined }) };
  const bare = aReadyMachine({ address: undefined, candidate });
  expect(outputsOf(bare, [bare], { ...NAMED, receipt: "" })).toMatchObject({
    "machine-id": "",
    "ssh-host": "",
    "ssh-port": "",
  });
});
