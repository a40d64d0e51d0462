import type { InstanceConfig, VolumeInfo } from "../vast/schemas/instance-config.ts";

/** The inputs' demands on the instance. At least one of `image` and `templateHashId` is there. */
export interface InstanceWishes {
  image?: string | undefined;
  /** `-u USER -p TOKEN REGISTRY`: a secret. */
  imageLogin?: string | undefined;
  templateHashId?: string | undefined;
  // Never `ssh`: with the plain word the proxy's port was seen not to be reachable.
  runtype: "ssh_proxy" | "ssh_direct";
  diskGb: number;
  volume?: VolumeInfo | undefined;
}

/** `bid` in USD per hour; left out on demand, where a price would make it interruptible. */
interface MachineConfig {
  label: string;
  onstart: string;
  env: Record<string, string>;
  bid?: number | undefined;
}

/**
 * The body of *create instance* for these wishes. A template gives way to each field that is sent
 * (seed, Create rule 2): what the user did not say must not be in it, but for what this action
 * can't do without: disk, runtype, onstart.
 */
export function instanceConfig(
  wishes: InstanceWishes,
  machine: MachineConfig,
): InstanceConfig & { env: Record<string, string> } {
  const { image, imageLogin, templateHashId, volume } = wishes;
  const { bid } = machine;
  return {
    ...(templateHashId && { template_hash_id: templateHashId }),
    ...(image && { image }),
    ...(imageLogin && { image_login: imageLogin }),
    label: machine.label,
    disk: wishes.diskGb,
    runtype: wishes.runtype,
    target_state: "running",
    env: machine.env,
    onstart: machine.onstart,
    ...(bid !== undefined && { price: bid }),
    ...(volume && { volume_info: volume }),
    // Bids included: without it a machine that can't be had becomes a stopped instance that bills
    // its disk.
    cancel_unavail: true,
  };
}

/** The image in words, for messages: a template's own is known only to the service. */
export function describeImage({ image, templateHashId }: InstanceWishes): string {
  return image ?? `of template ${templateHashId}`;
}
