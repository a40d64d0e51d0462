import { fullImage, readImageName, readLogin } from "../../image/image-name.ts";
import { isAlpineImage } from "../../image/image-tag.ts";
import { formatPrice } from "../../money/price.ts";
import { formatDuration, HOUR_MS } from "../../shared/duration.ts";
import { sensibleJobMs } from "../../timing/limits.ts";
import type { NamedFault } from "./errors.ts";
import type { InputValues, WrittenInputs } from "./schema.ts";

/** The inputs that could be read. An input that is wrong by itself is missing. */
type ReadInputs = Readonly<Partial<WrittenInputs>>;

/** A fault of several inputs together, reported under the name of one of them. */
interface CrossCheck extends NamedFault {
  name: keyof WrittenInputs;
  broken: (inputs: ReadInputs) => boolean;
}

const CROSS_CHECKS: readonly CrossCheck[] = [
  {
    // GitHub would answer that the token may not, or that there is no such group.
    name: "runner-group-id",
    broken: (inputs) => inputs["runner-scope"] === "repo" && exceeds(inputs["runner-group-id"], 1),
    wrong: "must be left out without runner-scope: org, as only an organisation has groups of runners",
  },
  {
    name: "bid-price",
    broken: (inputs) => inputs["bid-price"] !== undefined && inputs.pricing === "on-demand",
    wrong: "must be left out without pricing: bid",
  },
  {
    name: "bid-price",
    broken: (inputs) => exceeds(inputs["bid-price"], inputs["max-price"]),
    wrong: "must be at most max-price less the storage",
  },
  {
    name: "bid-fallback",
    broken: (inputs) => inputs["bid-fallback"] === true && inputs.pricing === "on-demand",
    wrong: "must be false without pricing: bid",
  },
  {
    name: "volume-mount-path",
    broken: (inputs) => inputs["volume-id"] !== undefined && inputs["volume-mount-path"] === "",
    wrong: "must be the absolute path where volume-id is to appear",
  },
  {
    name: "volume-mount-path",
    broken: (inputs) => Boolean(inputs["volume-mount-path"]) && isNone(inputs, "volume-id"),
    wrong: "must be left out without volume-id",
  },
  {
    name: "machines",
    broken: (inputs) => inputs["volume-id"] !== undefined && inputs.machines !== "auto" && exceeds(inputs.machines, 1),
    wrong: "must be auto or 1 with volume-id, as the volume is on one machine",
  },
  {
    name: "keep-failed",
    broken: (inputs) => exceeds(inputs["keep-failed"], inputs["max-lifetime"]),
    wrong: "must be at most max-lifetime, after which the machine ends itself",
  },
  {
    name: "max-cost-30d",
    broken: (inputs) => inputs["max-cost-30d"] !== undefined && inputs.history === false,
    wrong: "must be left out with history: false, as it needs to know what earlier runs cost",
  },
  {
    name: "template-name",
    broken: (inputs) => Boolean(inputs["template-name"]) && Boolean(inputs["template-hash-id"]),
    wrong: "must be left out where template-hash-id is given",
  },
  {
    name: "image",
    broken: (inputs) => IMAGE_INPUTS.every((name) => inputs[name] === ""),
    wrong:
      "must be a container image, such as pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime, or a template (template-name or template-hash-id) that brings one",
  },
  {
    name: "image",
    broken: ({ image }) => image !== undefined && isAlpineImage(image),
    wrong: "must be an image with glibc, as the runner program does not start on Alpine",
  },
];

const IMAGE_INPUTS = ["image", "template-hash-id", "template-name"] as const;

/** Finds the faults of inputs that are right one by one and wrong together. */
export function crossFaults(inputs: ReadInputs): NamedFault[] {
  return CROSS_CHECKS.filter(({ broken }) => broken(inputs)).map(({ name, wrong }) => ({ name, wrong }));
}

/** True if an input was left out. False if it was given and is wrong. */
function isNone(inputs: ReadInputs, name: keyof WrittenInputs): boolean {
  return Object.hasOwn(inputs, name) && inputs[name] === undefined;
}

function exceeds(value: number | undefined, most: number | undefined): boolean {
  return value !== undefined && most !== undefined && value > most;
}

/** Finds inputs that are allowed and may not do what was meant. `isWarning`: it may cost a job. */
export function inputWarnings(inputs: Readonly<InputValues>): { text: string; isWarning: boolean }[] {
  const notes = noteLines(inputs).map((text) => ({ text, isWarning: false }));
  const warnings = shortLines(inputs).map((text) => ({ text, isWarning: true }));
  return [...notes, ...warnings].flatMap(({ text, isWarning }) => (text === false ? [] : [{ text, isWarning }]));
}

/** A line for people; false: it does not hold. */
type Line = string | false;

function noteLines(inputs: Readonly<InputValues>): Line[] {
  const { hedge, hold, image, machines, readyTimeout, searchTimeout, setupTimeout } = inputs;
  const full = fullImage(image);
  const readyMs = readyTimeout + setupTimeout;
  const [ready, search] = [readyMs, searchTimeout].map(formatDuration);
  const [ofLogin, ofImage] = [readLogin(inputs.imageLogin), readImageName(image)].map((each) => each?.registry);
  return [
    full !== image && `The image has neither tag nor digest; ${full} is used.`,
    ofLogin !== undefined &&
      image !== "" &&
      ofLogin !== ofImage &&
      // The login's registry is not shown, because a user may have swapped it with the token.
      `image-login is for another registry than ${ofImage}, where the image is: it is pulled without a login.`,
    hedge &&
      hold &&
      machines === 1 &&
      "hedge has no effect with machines: 1: no second machine is started for one that is late.",
    searchTimeout > readyMs &&
      `search-timeout (${search}) is more than ready-timeout (${ready}), which ends the search as well: to search for longer, raise both.`,
  ];
}

/** Finds inputs by which a machine lives for less than ten minutes, or less than its job takes. */
function shortLines({ jobMinutes, maxCost, maxLifetime, maxPrice }: Readonly<InputValues>): Line[] {
  const leastMs = sensibleJobMs(jobMinutes && jobMinutes * 60_000);
  const paidMs = maxCost === undefined ? Number.POSITIVE_INFINITY : (maxCost / maxPrice) * HOUR_MS;
  const paid = `max-cost (${formatPrice(maxCost ?? 0)}) pays a machine at max-price (${formatPrice(maxPrice)} per hour)`;
  const short = (lifeMs: number, input: string, what: string): Line =>
    lifeMs < leastMs &&
    `${what} ${formatDuration(lifeMs)}. A GPU job that takes longer loses its machine. Raise ${input}.`;
  return [
    short(maxLifetime, "max-lifetime", "max-lifetime leaves a machine"),
    short(paidMs, "max-cost", `${paid} for`),
  ];
}
