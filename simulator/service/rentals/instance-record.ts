import type { MarketOffer } from "../../scenario/scenario.ts";
import type { MachineBehaviour, Traffic } from "../../scenario/simulate.ts";
import type { VolumeRecord } from "../catalog/volumes.ts";
import type { InstanceOrder } from "../requests/create-body.ts";
import { type Dialect, type Refusal, refusal } from "../traffic/refusal.ts";
import type { InstanceEvent, Life } from "./lifecycle.ts";

/** One instance and all that ever happened to it; kept after its destruction. */
export interface InstanceRecord extends Life {
  readonly id: number;
  readonly offer: MarketOffer;
  readonly order: InstanceOrder;
  label: string | null;
  /** Simulated ms since the epoch, like all times here. */
  readonly createdAt: number;
  /** From then on list and get show it. */
  readonly visibleAt: number;
  readonly events: InstanceEvent[];
  /** The instance's own key, as the answer to its creation gave it. */
  readonly apiKey: string;
  /** The container's CONTAINER_API_KEY; undefined where the scenario leaves it out. */
  readonly containerApiKey: string | undefined;
  readonly machine: MachineBehaviour;
  /** Undefined: it moves nothing. */
  readonly traffic: Traffic | undefined;
  /** The port of its machine that leads to port 22. */
  readonly hostPort: number;
  /** The address at which its machine answers by SSH; undefined where nobody does. */
  readonly sshHost: string | undefined;
  /** The public keys that may log in: the account's at its creation, and those attached since. */
  readonly sshKeys: SshKey[];
  /** Its bids in order, each from a time on; none on demand. */
  readonly bids: { readonly at: number; readonly price: number }[];
  readonly volume: VolumeRecord | undefined;
  /** Every instance has one, whether or not Jupyter runs; a secret. */
  readonly jupyterToken: string;
}

/** Tells when an instance was destroyed and by whom; undefined while it exists. */
export function destruction(record: InstanceRecord): Extract<InstanceEvent, { kind: "destroy" }> | undefined {
  return record.events.find((event) => event.kind === "destroy");
}

/** The 404 for an instance that does not exist (any more). */
export function missingInstance(id: number, dialect: Dialect): Refusal {
  // SPEC-SILENT: the seed shows no answer for an unknown instance.
  if (dialect === "seed") return refusal(404, "not_found", `There is no instance ${id}.`);
  return refusal(404, "no_such_instance", `error 404/1240: no_such_instance Instance ${id} not found.`);
}

/** One of the account's public keys for SSH; each new container gets them all. */
export interface SshKey {
  readonly id: number;
  key: string;
  /** Simulated ms since the epoch. */
  readonly createdAt: number;
}

/** The account's keys as *current user* shows them; null for none. */
export function shownKeys(keys: readonly SshKey[]): string | null {
  return keys.length > 0 ? keys.map(({ key }) => key).join("\n") : null;
}
