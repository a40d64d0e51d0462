import { expect, test } from "vitest";
import { instanceSchema } from "../../../src/marketplace/vast/schemas.ts";
import { instanceOf } from "../../../src/marketplace/vast/translate.ts";
import { outputsOf, sshAddress } from "../../../src/report/outputs.ts";
import { aReadyMachine } from "../support/a-machine.ts";
import { anOffer } from "../support/an-offer.ts";
import type { MachineGiven } from "../support/machines.ts";

function outputs(given: MachineGiven = {}) {
  const machine = aReadyMachine(given);
  const named = { figures: "[]", runnerLabel: "gpu-4711-1", secondsToReady: 95, receipt: "/tmp/receipt.json" };
  return outputsOf(machine, [machine], { ...named, runtype: "ssh_proxy" });
}

test("every output of action.yml but the events, as text", () => {
  // The price is the one that the service asks by now, as in the receipt.
  expect(outputs({ usdPerHour: 0.84 })).toEqual({
    "instance-id": "7",
    "runner-label": "gpu-4711-1",
    "runner-name": "gpu-4711-1-abcdef-1",
    "offer-id": "11",
    "machine-id": "100",
    "gpu-name": "RTX 4090",
    "num-gpus": "2",
    "dph-total": "0.84",
    "ssh-host": "ssh1.example",
    "ssh-port": "12345",
    "seconds-to-ready": "95",
    "instance-ids": "[7]",
    "runner-names": '["gpu-4711-1-abcdef-1"]',
    receipt: "/tmp/receipt.json",
    "gpu-figures": "[]",
  });
});

test("what the service does not show is empty, and never the word undefined", () => {
  const candidate = { ...aReadyMachine().candidate, offer: anOffer({ machine_id: undefined }) };
  const bare = outputs({ address: undefined, candidate });
  expect(bare).toMatchObject({ "machine-id": "", "ssh-host": "", "ssh-port": "" });
  expect(sshAddress(undefined, "ssh_direct")).toEqual({ host: "", port: "" });
});

test("an address that a shell would take for more is none: people copy it into one", () => {
  const address = (fields: object, runtype: "ssh_proxy" | "ssh_direct") =>
    sshAddress(instanceOf(instanceSchema.parse({ id: 7, ssh_port: 11_042, ...fields })).ssh, runtype);
  expect(address({ ssh_host: "ssh4.example.com`id`" }, "ssh_proxy")).toEqual({ host: "", port: "11042" });
  const ports = { "22/tcp": [{ HostIp: "0.0.0.0", HostPort: "50001" }] };
  expect(address({ public_ipaddr: "2001:db8::7", ports }, "ssh_direct").host).toBe("2001:db8::7");
});
