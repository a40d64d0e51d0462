import { expect, test } from "vitest";
import { outputsOf } from "../../../../src/action/report/outputs.ts";
import type { Ready } from "../../../../src/fleet/renter.ts";
import { anOffer } from "../../support/an-offer.ts";

const MACHINE: Ready = {
  n: 1,
  instanceId: 7,
  runner: { id: 21, name: "gpu-4711-1-abcdef-1" },
  candidate: { offer: anOffer({ id: 11, machine_id: 100, num_gpus: 2 }), price: { total: 0.42, storage: 0.02 } },
  deadline: 1_798_761_600,
  cutBy: "max-lifetime",
  hideSecrets: String,
  report: {
    instanceId: 7,
    offer: { id: 11, gpu_name: "RTX 4090", num_gpus: 2 },
    price: { total: 0.42, storage: 0.02 },
    at: { asked: 1 },
    last: "ready",
  },
  instance: { id: 7, ssh_host: "ssh1.example", ssh_port: 12_345 },
  secondsToReady: 95,
};

test("every output of action.yml, as text", () => {
  expect(outputsOf(MACHINE, { runnerLabel: "gpu-4711-1", receipt: "/tmp/receipt.json" })).toEqual({
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
  });
});

test("what the service does not tell is empty, and never the word undefined", () => {
  const bare = {
    ...MACHINE,
    instance: undefined,
    candidate: { ...MACHINE.candidate, offer: anOffer({ machine_id: undefined }) },
  };
  expect(outputsOf(bare, { runnerLabel: "gpu-4711-1", receipt: "" })).toMatchObject({
    "machine-id": "",
    "ssh-host": "",
    "ssh-port": "",
  });
});
