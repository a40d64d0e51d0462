import type { StoredMachine } from "../../../src/fleet/state.ts";
import { anOffer } from "./an-offer.ts";
import { type MachineGiven, ready } from "./machines.ts";

/** A machine whose runner is online, but for what the test says. */
export function aReadyMachine(given: MachineGiven = {}): StoredMachine {
  const candidate = { offer: anOffer({ id: 11, machine_id: 100, num_gpus: 2 }), price: { total: 0.42, storage: 0.02 } };
  return ready(1, {
    instanceId: 7,
    candidate,
    slots: [{ runnerId: 21, runnerName: "gpu-4711-1-abcdef-1", runner: "online", onlineAt: 95_000 }],
    deadline: 7_200_000,
    askedAt: 0,
    createdAt: 1000,
    readyAt: 95_000,
    address: { proxy: { host: "ssh1.example", port: 12_345 } },
    ...given,
  });
}
