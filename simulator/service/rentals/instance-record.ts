import type { MachineBehaviour } from "../../scenario/behaviour.ts";
import type { MarketOffer } from "../../scenario/market-offer.ts";
import type { Traffic } from "../../scenario/simulate.ts";
import type { Template } from "../../scenario/template.ts";
import type { UsageStep } from "../../scenario/usage.ts";
import type { VolumeInfo } from "../catalog/volume-info.ts";
import type { VolumeRecord } from "../catalog/volumes.ts";
import type { InstanceEvent, Life } from "./lifecycle.ts";
import type { SshKey } from "./ssh-keys.ts";

/** The order of an instance, with the service's defaults filled in. */
export interface InstanceOrder {
  readonly image: string;
  readonly label: string | null;
  /** GB. */
  readonly disk: number;
  readonly runtype: string;
  /** As it was sent: variables, and keys such as `-p 8000:8000`. */
  readonly env: Readonly<Record<string, string>>;
  readonly onstart: string;
  readonly args: readonly string[];
  /** The bid in USD per hour; null on demand. */
  readonly price: number | null;
  readonly targetState: "running" | "stopped";
  /** Replaces the image's command; of runtype `args` only. */
  readonly argsStr: string | null;
  readonly jupyter: { readonly lab: boolean; readonly dir: string | null };
  readonly locale: { readonly pythonUtf8: boolean; readonly langUtf8: boolean };
  /** A virtual machine instead of a container. */
  readonly vm: boolean;
  readonly volumeInfo: VolumeInfo | null;
  /** `-u USER -p TOKEN REGISTRY`: a secret, which nothing shows. */
  readonly imageLogin: string | null;
  /** The template that it was made of. */
  readonly template: Template | null;
}

/** The defaults of an order. */
export const PLAIN_ORDER = {
  argsStr: null,
  jupyter: { lab: false, dir: null },
  locale: { pythonUtf8: false, langUtf8: false },
  vm: false,
  volumeInfo: null,
} as const;

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
  /** Drawn for its host, for people; undefined where nothing was. */
  readonly behind: string | undefined;
  /** Undefined: it moves nothing. */
  readonly traffic: Traffic | undefined;
  /** What its host reports of it; none: nothing. */
  readonly usage: readonly UsageStep[];
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
