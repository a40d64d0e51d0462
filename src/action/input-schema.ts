import { z } from "zod";
import { AUTO_MACHINES, END_INPUTS, FLEET_INPUTS, JOB_INPUTS } from "./fleet-inputs.ts";
import {
  addressField,
  booleanField,
  choiceField,
  durationField,
  numberField,
  numberOrAutoField,
  optionalNumberField,
  textField,
} from "./input-fields.ts";
import { MACHINE_INPUTS } from "./machine-inputs.ts";
import { OFFER_INPUTS } from "./offer-inputs.ts";
import { PRICING_INPUTS } from "./pricing-inputs.ts";
import { VOLUME_INPUTS } from "./volume-inputs.ts";

const KEY = { pattern: /^[\x21-\x7e]+$/, words: "a key or token, without blanks" };

/** The inputs by their names. A repo test keeps them, action.yml and the README's table equal. */
export const inputSchema = z.strictObject({
  "api-key": textField(KEY),
  "api-url": addressField("https://console.vast.ai"),
  "github-token": textField({ ...KEY, required: true }),
  "job-token": textField({ ...KEY, required: true }),
  name: textField({
    pattern: /^[a-z0-9]([a-z0-9.-]{0,22}[a-z0-9])?$/,
    words: "up to 24 small letters, digits, dots and hyphens, such as cuda12 or 3.11",
  }),
  "runner-scope": choiceField(["repo", "org"], "repo"),
  "runner-group-id": numberField({ min: 1, max: 999_999_999, whole: true, unit: "", fallback: "1" }),
  ...OFFER_INPUTS,
  ...PRICING_INPUTS,
  ...MACHINE_INPUTS,
  ...VOLUME_INPUTS,
  ...FLEET_INPUTS,
  ...END_INPUTS,
  "max-lifetime": durationField({ min: "1m", max: "24h", fallback: "2h" }),
  "idle-timeout": durationField({ min: "30s", max: "6h", fallback: "5m" }),
  "online-timeout": durationField({ min: "30s", max: "2h", fallback: "5m" }),
  "ready-timeout": durationField({ min: "1m", max: "6h", fallback: "25m" }),
  "search-timeout": durationField({ min: "0s", max: "6h", fallback: "10m" }),
  attempts: numberField({ min: 1, max: 20, whole: true, unit: "machines", fallback: "4" }),
  "max-cost": optionalNumberField({ min: 0.001, max: 100_000, unit: "USD" }),
  "min-credit": numberField({ min: 0, max: 1_000_000, unit: "USD", fallback: "0" }),
  "machines-per-repository": numberOrAutoField({ min: 1, max: 1000, whole: true, unit: "machines" }),
  history: textField({
    pattern: /^[^\p{Cc}\p{Cf}]{1,4096}$/u,
    words: "the path of a file in one line, such as .gpu-history.json",
  }),
  check: booleanField(false),
  ...JOB_INPUTS,
});

/** The inputs as they are written: one by one, before they are looked at together. */
export type WrittenInputs = z.infer<typeof inputSchema>;

/** Inputs whose `auto` is decided before anything is asked. */
type Decided = "machines" | "machines-per-repository";

/** Every input, read. Durations in milliseconds, prices in USD per hour. */
export type InputValues = Omit<WrittenInputs, Decided> & Readonly<Record<Decided, number>>;

/** Decides `auto`: a volume is on one machine, and the repository's machines are at least ours. */
export function decided(inputs: WrittenInputs): Readonly<InputValues> {
  const { machines: asked, "machines-per-repository": most } = inputs;
  const auto = AUTO_MACHINES[inputs["volume-id"] === undefined ? "usual" : "withVolume"];
  const machines = asked === "auto" ? auto : asked;
  const mostAlive = most === "auto" ? Math.max(AUTO_MACHINES.perRepository, machines) : most;
  return Object.freeze({ ...inputs, machines, "machines-per-repository": mostAlive });
}

/** Inputs that are secrets: masked as soon as they are read. */
export const SECRET_INPUTS: ReadonlySet<string> = new Set(["api-key", "github-token", "job-token", "image-login"]);

/** Inputs that no message shows: a part of a secret in an address would get past the mask. */
export const HIDDEN_INPUTS: ReadonlySet<string> = new Set([...SECRET_INPUTS, "api-url", "env", "setup", "probe"]);
