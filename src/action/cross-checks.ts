import { isAlpineImage } from "../market/image-tag.ts";
import type { WrittenInputs } from "./input-schema.ts";

/** The inputs that could be read; one that is wrong by itself is missing. */
type ReadInputs = Readonly<Partial<WrittenInputs>>;

/** A thing that inputs get wrong together, told under the name of one of them. */
interface CrossCheck {
  name: keyof WrittenInputs;
  broken: (inputs: ReadInputs) => boolean;
  wrong: string;
}

const CHECKS: readonly CrossCheck[] = [
  {
    // GitHub would answer that the token may not, or that there is no such group.
    name: "runner-group-id",
    broken: (inputs) => inputs["runner-scope"] === "repo" && isMore(inputs["runner-group-id"], 1),
    wrong: "is a group of an organisation's runners, allowed is none without runner-scope: org",
  },
  {
    name: "bid-price",
    broken: (inputs) => inputs["bid-price"] !== undefined && inputs.pricing === "on-demand",
    wrong: "is for interruptible machines only, allowed is none without pricing: bid",
  },
  {
    name: "bid-price",
    broken: (inputs) => isMore(inputs["bid-price"], inputs["max-price"]),
    wrong: "is more than max-price, allowed is at most what max-price leaves beside the storage",
  },
  {
    name: "bid-fallback",
    broken: (inputs) => inputs["bid-fallback"] === true && inputs.pricing === "on-demand",
    wrong: "has nothing to fall back from, allowed is false without pricing: bid",
  },
  {
    name: "volume-mount-path",
    broken: (inputs) => inputs["volume-id"] !== undefined && inputs["volume-mount-path"] === "",
    wrong: "is missing, allowed is the absolute path where volume-id is to appear",
  },
  ...(["volume-mount-path", "volume-size"] as const).map((name) => ({
    name,
    broken: (inputs: ReadInputs) => Boolean(inputs[name]) && isNone(inputs, "volume-id"),
    wrong: "says something of a volume, allowed is none without volume-id",
  })),
  {
    name: "volume-create-new",
    broken: (inputs) => inputs["volume-create-new"] === true && isNone(inputs, "volume-id"),
    wrong: "needs a volume offer, allowed is true only with volume-id",
  },
  {
    name: "volume-size",
    broken: (inputs) => inputs["volume-create-new"] === true && isNone(inputs, "volume-size"),
    wrong: "is missing, allowed is the size of the new volume in GB",
  },
  {
    name: "volume-size",
    broken: (inputs) =>
      inputs["volume-create-new"] === false && inputs["volume-size"] !== undefined && inputs["volume-id"] !== undefined,
    wrong: "can't change a volume that exists, allowed is none without volume-create-new: true",
  },
  {
    // Each failed machine would leave a volume behind, which bills on without it.
    name: "attempts",
    broken: (inputs) => inputs["volume-create-new"] === true && isMore(inputs.attempts, 1),
    wrong: "would leave a volume behind with each machine that fails, allowed is 1 with volume-create-new: true",
  },
  {
    name: "machines",
    broken: (inputs) => inputs["volume-id"] !== undefined && inputs.machines !== "auto" && isMore(inputs.machines, 1),
    wrong: "is more than can have the volume, which is on one machine, allowed is auto or 1 with volume-id",
  },
  {
    name: "keep-failed",
    broken: (inputs) => isMore(inputs["keep-failed"], inputs["max-lifetime"]),
    wrong: "is more than max-lifetime, after which the machine ends itself, allowed is a duration up to max-lifetime",
  },
  {
    name: "template-name",
    broken: (inputs) => Boolean(inputs["template-name"]) && Boolean(inputs["template-hash-id"]),
    wrong: "stands beside template-hash-id, allowed is one of template-name and template-hash-id",
  },
  {
    name: "image",
    broken: (inputs) => IMAGE_INPUTS.every((name) => inputs[name] === ""),
    wrong:
      "is missing, allowed is a container image, such as pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime, or a template (template-name or template-hash-id) that brings one",
  },
  {
    name: "image",
    broken: ({ image }) => image !== undefined && isAlpineImage(image),
    wrong: "is built on Alpine, on which the runner program does not start, allowed is an image with glibc",
  },
];

const IMAGE_INPUTS = ["image", "template-hash-id", "template-name"] as const;

/** The faults of inputs that are right one by one and wrong together. */
export function crossFaults(inputs: ReadInputs): Pick<CrossCheck, "name" | "wrong">[] {
  return CHECKS.filter(({ broken }) => broken(inputs)).map(({ name, wrong }) => ({ name, wrong }));
}

/** True when it was left out, and not only wrong. */
function isNone(inputs: ReadInputs, name: keyof WrittenInputs): boolean {
  return Object.hasOwn(inputs, name) && inputs[name] === undefined;
}

function isMore(value: number | undefined, most: number | undefined): boolean {
  return value !== undefined && most !== undefined && value > most;
}
