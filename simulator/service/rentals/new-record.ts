import { randomBytes } from "node:crypto";
import type { Stall } from "../catalog/market.ts";
import type { VolumeRecord } from "../catalog/volumes.ts";
import type { Dialect } from "../traffic/dialect.ts";
import type { BootPlan } from "./boot-plan.ts";
import { restartSteps } from "./boot-steps.ts";
import type { InstanceOrder, InstanceRecord } from "./instance-record.ts";
import type { SshKey } from "./ssh-keys.ts";

interface Creation {
  /** So many instances were created before. */
  nth: number;
  at: number;
  /** Reads show it after so many seconds. */
  lagSeconds: number;
  dialect: Dialect;
  plan: BootPlan;
  volume: VolumeRecord | undefined;
  sshKeys: readonly SshKey[];
  sshHost: (instanceId: number) => string | undefined;
}

/** The record of an instance at its creation, with keys of its own. */
export function newRecord({ offer, simulate }: Stall, order: InstanceOrder, creation: Creation): InstanceRecord {
  const { nth, at, lagSeconds, dialect, plan, volume, sshKeys, sshHost } = creation;
  const id = 7_001_001 + nth;
  const stoppedStatus = dialect === "seed" ? "stopped" : "exited";
  const apiKey = newKey();
  const containerKeys = { valid: apiKey, missing: undefined, wrong: newKey() };
  return {
    id,
    offer,
    order,
    label: order.label,
    createdAt: at,
    visibleAt: at + 1000 * lagSeconds,
    events: [{ at, kind: "create", target: order.targetState }],
    boot: plan.statuses,
    restart: restartSteps(stoppedStatus, order.image),
    stoppedStatus,
    apiKey,
    containerApiKey: containerKeys[simulate.instanceKey ?? "valid"],
    behind: plan.words,
    machine: plan.machine,
    traffic: plan.traffic,
    usage: simulate.usage ?? [],
    hostPort: 41_000 + nth,
    sshHost: order.runtype === "args" ? undefined : sshHost(id),
    sshKeys: [...sshKeys],
    bids: order.price === null ? [] : [{ at, price: order.price }],
    volume,
    jupyterToken: newKey(),
  };
}

function newKey(): string {
  return randomBytes(32).toString("hex");
}
