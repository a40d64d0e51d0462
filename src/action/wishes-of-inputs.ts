import { cudaOfImage, isDevelImage } from "../market/image-tag.ts";
import type { OfferWishes } from "../market/offer-wishes.ts";
import { knownImage } from "./known-image.ts";
import type { ResolvedInputs } from "./template-of-inputs.ts";

/** Mbit/s that `auto` asks for: a usual image takes some minutes, a devel one not many more. */
const INET_DOWN = { usual: 200, devel: 400 };

/** The inputs as wishes for an offer. The tag of the image, a template's too, decides `auto`. */
export function wishesOf(
  inputs: Readonly<ResolvedInputs>,
  durationSeconds: number,
  machine?: number | undefined,
): OfferWishes {
  const image = knownImage(inputs);
  const { disk, "min-cuda": cuda, "min-inet-down-mbps": inetDown } = inputs;
  return {
    gpuNames: inputs["gpu-name"],
    numGpus: inputs["num-gpus"],
    maxPrice: inputs["max-price"],
    minReliability: inputs["min-reliability"],
    diskGb: disk,
    durationSeconds,
    minGpuRamGb: inputs["min-gpu-ram-gb"],
    minComputeCap: inputs["min-compute-cap"],
    minCuda: cuda === "auto" ? (cudaOfImage(image) ?? 0) : cuda,
    minCpuCores: inputs["min-cpu-cores"],
    minCpuRamGb: inputs["min-cpu-ram-gb"],
    minInetDownMbps: inetDown === "auto" ? INET_DOWN[isDevelImage(image) ? "devel" : "usual"] : inetDown,
    countries: inputs.geolocation,
    needsDatacenter: inputs.datacenter,
    filter: inputs["offer-filter"],
    excludedMachines: inputs["exclude-machines"],
    order: inputs.order,
    bid: inputs.pricing === "bid" ? { price: inputs["bid-price"] } : undefined,
    machine,
  };
}
