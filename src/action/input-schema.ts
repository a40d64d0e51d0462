import { z } from "zod";
import { addressField, choiceField, durationField, envField, numberField, textField } from "./input-fields.ts";
import { OFFER_INPUTS } from "./offer-inputs.ts";

const KEY = { pattern: /^[\x21-\x7e]+$/, words: "a key or token, without blanks" };

/** The inputs, by their names in action.yml. A test of the repository keeps this, action.yml and the README's table equal. */
export const inputSchema = z.strictObject({
  "api-key": textField(KEY),
  "api-url": addressField("https://console.vast.ai"),
  "github-token": textField({ ...KEY, required: true }),
  "job-token": textField({ ...KEY, required: true }),
  ...OFFER_INPUTS,
  image: textField({
    pattern: /^[a-z0-9][a-z0-9._/:-]{0,255}(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[0-9a-f]{64})?$/,
    words: "a container image, such as pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime",
    required: true,
  }),
  disk: numberField({ min: 8, max: 65_536, unit: "GB", fallback: "32" }),
  env: envField(),
  hold: choiceField(["auto", "true", "false"], "auto"),
  "wait-for-job": durationField({ min: "0s", max: "6h", fallback: "30m" }),
  "max-lifetime": durationField({ min: "1m", max: "24h", fallback: "2h" }),
  "idle-timeout": durationField({ min: "30s", max: "6h", fallback: "5m" }),
  "boot-timeout": durationField({ min: "30s", max: "2h", fallback: "10m" }),
  "online-timeout": durationField({ min: "30s", max: "2h", fallback: "5m" }),
  "ready-timeout": durationField({ min: "1m", max: "6h", fallback: "25m" }),
  "search-timeout": durationField({ min: "0s", max: "6h", fallback: "0s" }),
  attempts: numberField({ min: 1, max: 20, whole: true, unit: "machines", fallback: "4" }),
  "job-check-run-id": textField({ pattern: /^\d+$/, words: "the id of this job's check run; leave it alone" }),
  "job-status": textField({ pattern: /^[a-z_]+$/, words: "the status of this job; leave it alone" }),
});

/** Every input, read. Durations in milliseconds, prices in USD per hour. */
export type InputValues = z.infer<typeof inputSchema>;

/** Inputs that are secrets: masked as soon as they are read. */
export const SECRET_INPUTS: ReadonlySet<string> = new Set(["api-key", "github-token", "job-token"]);

/** Inputs that no message shows: a part of a secret, in an address or a variable, would get past the mask. */
export const HIDDEN_INPUTS: ReadonlySet<string> = new Set([...SECRET_INPUTS, "api-url", "env"]);
