import { HostModel } from "../../scenario/host-model.ts";
import type { ImageLogin } from "../../scenario/image-login.ts";
import type { Simulate, StatusStep } from "../../scenario/simulate.ts";
import { drawFate, type Fate } from "../catalog/host-model.ts";
import type { Stall } from "../catalog/market.ts";
import type { Dialect } from "../traffic/dialect.ts";
import { defaultBoot } from "./boot-steps.ts";
import { canPull, deniedBoot } from "./image-login.ts";
import type { InstanceOrder, InstanceRecord } from "./instance-record.ts";

/** Settled about an instance's machine when it is made. */
export interface BootPlan {
  readonly statuses: readonly StatusStep[];
  readonly machine: InstanceRecord["machine"];
  readonly traffic: InstanceRecord["traffic"];
  /** The cause behind it, for people; undefined where nothing was drawn. */
  readonly words: string | undefined;
}

interface BootTerms {
  readonly dialect: Dialect;
  /** The boot where the offer says nothing. */
  readonly boot: readonly StatusStep[] | undefined;
  readonly imageLogins: readonly ImageLogin[];
  /** Which boot on this machine it is. */
  readonly nth: number;
  /** The machine has pulled this image before. */
  readonly hasImage: boolean;
  /** Another instance has the same offer already. */
  readonly isSecond: boolean;
}

/** Settles a boot: by the image's login, its offer, what is drawn for it, or the scenario. */
export function planBoot({ offer, simulate }: Stall, order: InstanceOrder, terms: BootTerms): BootPlan {
  const { machine = {}, traffic } = simulate;
  const fixed = { machine, traffic, words: undefined };
  if (!canPull(order.image, order.imageLogin, terms.imageLogins))
    return { ...fixed, statuses: deniedBoot(order.image) };
  if (terms.isSecond) return { ...fixed, statuses: PORT_TAKEN, words: "its ports are bound by another instance" };
  const fate = fateOf({ offer, simulate }, terms);
  const plain = terms.boot ?? defaultBoot(terms.dialect, order.image);
  return {
    statuses: simulate.statuses ?? fate?.statuses ?? plain,
    machine: { ...fate?.machine, ...machine },
    traffic: traffic ?? trafficOf(fate),
    words: fate?.words,
  };
}

/** As Docker says it; the status stays `created`, and nothing else tells of it. */
const PORT_TAKEN: readonly StatusStep[] = [
  { after: 0, actual_status: null },
  {
    after: 3,
    actual_status: "created",
    status_msg:
      "Error response from daemon: driver failed programming external connectivity on endpoint C.1: Bind for 0.0.0.0:41000 failed: port is already allocated \n",
  },
];

function fateOf({ offer, simulate }: Stall, { nth, hasImage }: BootTerms): Fate | undefined {
  const has = simulate.hasImage === true || (simulate.model !== undefined && hasImage);
  // A host that has the image, and of which nothing else is said, is a good one.
  const model = simulate.model ?? (has ? HostModel.parse({ seed: offer.machine_id, broken: 0 }) : undefined);
  return model && drawFate(model, { offer, nth, hasImage: has });
}

function trafficOf(fate: Fate | undefined): Simulate["traffic"] {
  return fate && { imageGb: fate.imageGb, downGbPerHour: 0, upGbPerHour: 0 };
}
