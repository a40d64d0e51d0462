import { filterField } from "./filter-field.ts";
import { booleanField, choiceField, numberField, numberOrAutoField } from "./input-fields.ts";
import { listField } from "./list-field.ts";

/** The inputs that choose the offer, named as in action.yml. GB, Mbit/s, USD per hour. */
export const OFFER_INPUTS = {
  "gpu-name": listField({
    pattern: /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/,
    words: "a GPU's name as the service writes it, such as RTX 4090",
    most: 32,
    read: (name) => name,
  }),
  "num-gpus": numberField({ min: 1, max: 64, whole: true, unit: "GPUs", fallback: "1" }),
  "max-price": numberField({ min: 0.001, max: 1000, unit: "USD per hour" }),
  "min-reliability": numberField({ min: 0, max: 1, unit: "", fallback: "0.95" }),
  "min-gpu-ram-gb": numberField({ min: 0, max: 2048, unit: "GB", fallback: "0" }),
  "min-compute-cap": numberField({ min: 0, max: 30, unit: "(such as 8.9)", fallback: "7.0" }),
  "min-cuda": numberOrAutoField({ min: 0, max: 30, unit: "(such as 12.8)" }),
  "min-cpu-cores": numberField({ min: 0, max: 1024, unit: "cores", fallback: "0" }),
  "min-cpu-ram-gb": numberField({ min: 0, max: 16_384, unit: "GB", fallback: "0" }),
  "min-inet-down-mbps": numberOrAutoField({ min: 0, max: 100_000, unit: "Mbit/s" }),
  geolocation: listField({
    pattern: /^[A-Za-z]{2}$/,
    words: "a country's two letters, such as SE",
    most: 100,
    read: (code) => code.toUpperCase(),
  }),
  datacenter: booleanField(false),
  "offer-filter": filterField(),
  order: choiceField(["auto", "price", "score", "dlperf_per_dphtotal"], "auto"),
  "exclude-machines": listField({
    pattern: /^\d{1,15}$/,
    words: "a machine's id, as in the log",
    most: 500,
    read: Number,
  }),
};
