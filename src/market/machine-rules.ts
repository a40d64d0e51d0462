import { oneLine } from "../shared/foreign-text.ts";
import type { Offer } from "../vast/schemas/offer.ts";
import { countryOf, cpuRamShareGb, isDatacenter, leastGpuRamMb, reliabilityOf } from "./offer-facts.ts";
import { anyOf, atLeast, type OfferRule } from "./offer-rule.ts";
import { formatCuda } from "./offer-wishes.ts";

/** The rules about the machine, in the order in which they are told. */
export const MACHINE_RULES: readonly OfferRule[] = [
  {
    ...atLeast({
      field: "reliability",
      input: "min-reliability",
      value: reliabilityOf,
      least: (wishes) => wishes.minReliability,
      why: (value) => `reliability ${value.toFixed(3)}`,
    }),
    asked: ({ minReliability }) => ({ gte: minReliability }),
    told: ({ minReliability }) => `reliability ${minReliability} or more`,
  },
  {
    ...atLeast({
      field: "disk_space",
      input: "disk",
      value: (offer) => offer.disk_space,
      least: (wishes) => wishes.diskGb,
      why: (value) => `only ${value} GB of disk`,
    }),
    told: ({ diskGb }) => `${diskGb} GB of disk`,
  },
  atLeast({
    field: "duration",
    input: "max-lifetime",
    value: (offer) => offer.duration,
    least: (wishes) => wishes.durationSeconds,
    why: (value) => `rentable for only ${Math.floor(value / 3600)} h`,
  }),
  atLeast({
    field: "gpu_ram",
    input: "min-gpu-ram-gb",
    value: (offer) => offer.gpu_ram,
    least: (wishes) => leastGpuRamMb(wishes.minGpuRamGb),
    told: (wishes) => `${wishes.minGpuRamGb} GB of GPU memory`,
    why: (value) => `only ${(value / 1024).toFixed(1)} GB of GPU memory`,
  }),
  atLeast({
    field: "compute_cap",
    input: "min-compute-cap",
    value: (offer) => offer.compute_cap,
    least: (wishes) => Math.round(wishes.minComputeCap * 100),
    told: (wishes) => `compute capability ${wishes.minComputeCap.toFixed(1)}`,
    why: (value) => `compute capability ${(value / 100).toFixed(1)}`,
  }),
  atLeast({
    field: "cuda_max_good",
    input: "min-cuda",
    value: (offer) => offer.cuda_max_good,
    least: (wishes) => wishes.minCuda,
    told: (wishes) => `CUDA ${formatCuda(wishes.minCuda)}`,
    why: (value) => `a driver for CUDA ${formatCuda(value)}`,
  }),
  atLeast({
    field: "cpu_cores_effective",
    input: "min-cpu-cores",
    value: (offer) => offer.cpu_cores_effective,
    least: (wishes) => wishes.minCpuCores,
    told: (wishes) => `${wishes.minCpuCores} CPU cores`,
    why: (value) => `only ${value} CPU cores`,
  }),
  atLeast({
    field: "cpu_ram",
    input: "min-cpu-ram-gb",
    value: cpuRamShareGb,
    least: (wishes) => wishes.minCpuRamGb,
    // Filters the machine's memory; that the offer's share is enough is checked on our side.
    asked: (wishes) => wishes.minCpuRamGb * 1000,
    told: (wishes) => `${wishes.minCpuRamGb} GB of memory`,
    why: (value) => `only ${value.toFixed(1)} GB of memory`,
  }),
  atLeast({
    field: "inet_down",
    input: "min-inet-down-mbps",
    value: (offer) => offer.inet_down,
    least: (wishes) => wishes.minInetDownMbps,
    told: (wishes) => `${wishes.minInetDownMbps} Mbit/s down`,
    why: (value) => `only ${Math.floor(value)} Mbit/s down`,
  }),
  {
    field: "geolocation",
    remedy: { verb: "Widen", input: "geolocation" },
    asked: ({ countries }) => anyOf(countries),
    told: ({ countries }) => (countries.length > 0 ? `in ${countries.join(" or ")}` : undefined),
    broken: (offer, { countries }) => countries.length > 0 && isElsewhere(offer, countries),
    why: (offer) => `in ${oneLine(countryOf(offer) ?? "an unknown country")}`,
  },
  {
    field: "datacenter",
    remedy: { verb: "Leave out", input: "datacenter" },
    asked: ({ needsDatacenter }) => (needsDatacenter ? { eq: true } : undefined),
    told: ({ needsDatacenter }) => (needsDatacenter ? "in a data centre" : undefined),
    broken: (offer, { needsDatacenter }) => needsDatacenter && isDatacenter(offer) === false,
    why: () => "not in a data centre",
  },
  {
    // Not a field of the service, as a volume is a part of one machine and asks for that.
    field: "volume",
    remedy: { verb: "Change", input: "volume-id" },
    told: ({ machine }) => (machine === undefined ? undefined : `on machine ${machine}, where the volume is`),
    broken: ({ machine_id }, { machine }) =>
      machine !== undefined && machine_id !== undefined && machine_id !== machine,
    why: (_offer, { machine }) => `the volume is on machine ${machine}`,
  },
  {
    field: "machine_id",
    remedy: { verb: "Shorten", input: "exclude-machines" },
    asked({ machine, excludedMachines }) {
      if (machine !== undefined) return { eq: machine };
      return excludedMachines.length > 0 ? { notin: excludedMachines } : undefined;
    },
    told: ({ excludedMachines }) =>
      excludedMachines.length > 0 ? `not machine ${excludedMachines.join(" or ")}` : undefined,
    broken: ({ machine_id }, wishes) => machine_id !== undefined && wishes.excludedMachines.includes(machine_id),
    why: () => "its machine is excluded",
  },
];

/** A country that is not told is not elsewhere: the search asked for it. */
function isElsewhere(offer: Offer, countries: readonly string[]): boolean {
  const country = countryOf(offer);
  return country !== undefined && !countries.includes(country);
}
