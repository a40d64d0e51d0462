import { z } from "zod";
import { faultOfName } from "../../image/image-name.ts";
import { faultOfCountry } from "../../offers/countries.ts";
import { namesOfNumber } from "../../offers/gpu-names.ts";
import { IF_NO_MACHINE } from "../../release/session.ts";
import { either } from "../../shared/text.ts";
import {
  AUTO,
  addressField,
  booleanField,
  choiceField,
  durationField,
  envField,
  field,
  filterField,
  listField,
  NONE,
  numberField,
  OPTIONAL,
  type Refused,
  textField,
  Wrong,
} from "./fields.ts";

/** The inputs that choose the offer, named as in action.yml. GB, Mbit/s, USD per hour. */
const OFFER_INPUTS = {
  "gpu-name": listField({
    pattern: /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/,
    words: "a GPU's name as the service writes it, such as RTX 4090",
    most: 32,
    read(name) {
      const names = namesOfNumber(name);
      if (names.length < 2) return names[0] ?? name;
      return new Wrong(`must be ${either(names)}, as several GPUs have the number ${name}`);
    },
  }),
  "num-gpus": numberField({ min: 1, max: 64, whole: true, unit: "GPUs", fallback: "1" }),
  "max-price": numberField({ min: 0.001, max: 1000, unit: "USD per hour" }),
  "max-traffic-price": numberField({ ...NONE, min: 0, max: 1000, unit: "USD per GB", fallback: "0.05" }),
  "min-reliability": numberField({ min: 0, max: 1, unit: "", fallback: "0.95" }),
  "min-gpu-ram-gb": numberField({ min: 0, max: 2048, unit: "GB", fallback: "0" }),
  "min-compute-cap": numberField({ min: 0, max: 30, unit: "(such as 8.9)", fallback: "7.0" }),
  "min-cuda": numberField({ ...AUTO, min: 0, max: 30, unit: "(such as 12.8)" }),
  "min-cpu-cores": numberField({ min: 0, max: 1024, unit: "cores", fallback: "0" }),
  "min-cpu-ram-gb": numberField({ min: 0, max: 16_384, unit: "GB", fallback: "0" }),
  "min-inet-down-mbps": numberField({ ...AUTO, min: 0, max: 100_000, unit: "Mbit/s" }),
  geolocation: listField({
    pattern: /^[A-Za-z]{2}$/,
    words: "a country's two letters, such as SE",
    most: 100,
    read(code) {
      const wrong = faultOfCountry(code);
      return wrong === undefined ? code.toUpperCase() : new Wrong(wrong);
    },
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

/** The inputs about paying for the machine, named as in action.yml. USD per hour. */
const PRICING_INPUTS = {
  pricing: choiceField(["on-demand", "bid"], "on-demand"),
  "bid-price": numberField({ ...OPTIONAL, min: 0.001, max: 128, unit: "USD per hour" }),
  "bid-fallback": booleanField(false),
};

const MOST_SETUP_CHARACTERS = 8192;
const MOST_PROBE_CHARACTERS = 2048;

/** The launch modes that can't be had, each with what it lacks. */
const REFUSED_RUNTYPES: Refused = [
  [/^args$/, "keeps the image's own entrypoint, so that the runner would not be started"],
  [/^jupyter/, "opens a notebook server on the machine, which a test job has no use for"],
  [/^ssh$/, "was seen not to be reachable"],
];

/** The inputs that say what the machine is to be, by their names in action.yml. */
export const MACHINE_INPUTS = {
  image: imageField(),
  "image-login": textField({
    pattern: /^-u [^\s'"\\]+ -p [^\s'"\\]{8,} [a-z0-9][a-z0-9.-]*(:\d{1,5})?(\/[a-z0-9._/-]*)?$/,
    // A shorter one can't be hidden: it would be taken out of other words, too.
    words: "-u USER -p TOKEN REGISTRY, in that order, without quotes, with a token of at least 8 characters",
  }),
  "template-hash-id": textField({
    pattern: /^[A-Za-z0-9]{8,128}$/,
    words: "a template's hash_id (not its number), as the service's console shows it",
  }),
  "template-name": textField({
    pattern: /^[^\p{Cc}\p{Cf}]{1,256}$/u,
    words: "a template's whole name in one line, as the service's console shows it",
  }),
  runtype: choiceField(["ssh_proxy", "ssh_direct"], "ssh_proxy", REFUSED_RUNTYPES),
  disk: numberField({ min: 8, max: 65_536, unit: "GB", fallback: "32" }),
  env: envField(),
  setup: shellField(MOST_SETUP_CHARACTERS),
  "setup-timeout": durationField({ min: "10s", max: "2h", fallback: "10m" }),
  probe: shellField(MOST_PROBE_CHARACTERS).refine((text) => !text.includes("\n"), {
    error: "must be one line of shell (use setup for more)",
  }),
  "boot-timeout": durationField({ ...AUTO, min: "30s", max: "2h" }),
};

/** Makes a field for an image. A name that no registry can have is refused: every machine would fail with it. */
function imageField() {
  return field((text) => {
    const wrong = text === "" ? undefined : faultOfName(text);
    if (wrong === undefined) return text;
    return new Wrong(
      `${wrong === "" ? "" : `${wrong}; `}must be a container image, such as pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime`,
    );
  });
}

/** Makes a field for lines of bash, which travel in a variable: line ends and tabs, no other control characters. */
function shellField(most: number) {
  return field((text) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text.replaceAll("\r\n", "\n")))
      return new Wrong("must be lines of shell, without control characters");
    if (text.length > most) return new Wrong(`must be at most ${most} characters`);
    return text.replaceAll("\r\n", "\n");
  });
}

const VOLUME_INPUTS = {
  "volume-id": numberField({ ...OPTIONAL, min: 1, max: 999_999_999, whole: true, unit: "" }),
  "volume-mount-path": textField({
    // A machine's own scripts keep their files in /opt/ghr, which must not outlive the machine on a volume.
    pattern: /^(?!.*\/\.\.?(\/|$))(?!\/opt(\/ghr(\/|$)|$))(\/[A-Za-z0-9._-]{1,64}){1,16}$/,
    words:
      "an absolute path below /, such as /data, of letters, digits, dots, hyphens and underscores; neither /opt nor /opt/ghr, which the machine's own guards need",
  }),
};

/** Machines that `auto` allows: a volume is on one machine, and no other can have it. */
const AUTO_MACHINES = { usual: 4, withVolume: 1, perRepository: 8 };

const FLEET_INPUTS = {
  machines: numberField({ ...AUTO, min: 1, max: 16, whole: true, unit: "machines" }),
  jobs: numberField({ ...AUTO, min: 1, max: 1000, whole: true, unit: "jobs" }),
  "jobs-per-machine": numberField({ min: 1, max: 4, whole: true, unit: "jobs", fallback: "1" }),
  "job-minutes": numberField({ ...OPTIONAL, min: 0.1, max: 1440, unit: "minutes" }),
  hedge: booleanField(true),
};

/** The inputs about the end and what follows it, named as in action.yml. Milliseconds. */
const END_INPUTS = {
  hold: booleanField(true, [[/^auto$/, "is gone, as it meant the same as true"]]),
  "wait-for-job": durationField({ min: "0s", max: "6h", fallback: "30m" }),
  "fail-with-job": booleanField(true),
  "keep-failed": durationField({ min: "0s", max: "24h", fallback: "0s" }),
  "if-no-machine": choiceField(IF_NO_MACHINE, "auto", [
    [/^fail-jobs$/, "fail-jobs is gone (write auto, which cancels the run once no other job of it is open)"],
  ]),
};

/** Inputs that nobody sets. Their defaults are what the platform says about this job. */
const JOB_INPUTS = {
  "job-check-run-id": textField({
    pattern: /^\d+$/,
    words: "the id of this job's check run, which GitHub sets (leave it alone)",
  }),
  "job-status": textField({
    pattern: /^[a-z_]+$/,
    words: "the status of this job, which GitHub sets (leave it alone)",
  }),
  "strategy-fail-fast": booleanField(false),
  "strategy-job-total": numberField({
    min: 1,
    max: 1_000_000,
    whole: true,
    unit: "jobs of this job's matrix, which GitHub sets (leave it alone)",
    fallback: "1",
  }),
};

const KEY = { pattern: /^[\x21-\x7e]+$/, words: "a key or token, without blanks" };

const NO_HISTORY_FILE =
  "names a file, which is gone, as it needed a cache in the job that holds the keys (leave the line out, and the steps that restore and save the file)";

/** Every input of main and post. A test of the repository keeps it, action.yml and the README's table equal. */
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
  "max-cost": numberField({ ...NONE, min: 0.001, max: 100_000, unit: "USD" }),
  "max-cost-30d": numberField({ ...OPTIONAL, min: 0.001, max: 1_000_000, unit: "USD" }),
  history: booleanField(true, [[/^/, NO_HISTORY_FILE]]),
  "min-credit": numberField({ min: 0, max: 1_000_000, unit: "USD", fallback: "0" }),
  "machines-per-repository": numberField({ ...AUTO, min: 1, max: 1000, whole: true, unit: "machines" }),
  "gpu-figures": booleanField(true),
  check: booleanField(false),
  ...JOB_INPUTS,
});

/** Inputs by their names in action.yml, read one by one. */
export type WrittenInputs = z.infer<typeof inputSchema>;

/** An input's name in the code: `max-price` is `maxPrice`. */
type OptionName<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<OptionName<Rest>>}`
  : Name & string;

/** Inputs by the names that they have in the code. */
export type ByOption<Inputs> = { [Name in keyof Inputs as OptionName<Name>]: Inputs[Name] };

/** Gives inputs the names that they have in the code: `max-price` becomes `maxPrice`. */
export function byOption<Inputs extends object>(inputs: Inputs): ByOption<Inputs> {
  const optionName = (name: string) => name.replace(/-([a-z\d])/g, (_all, letter: string) => letter.toUpperCase());
  const entries = Object.entries(inputs).map(([name, value]) => [optionName(name), value]);
  return Object.fromEntries(entries) as ByOption<Inputs>;
}

/** The inputs that say what an offer must be. No secret is one: requirements are written down. */
export const OFFER_OPTIONS = Object.keys(byOption(OFFER_INPUTS)) as (keyof ByOption<typeof OFFER_INPUTS>)[];

/** Inputs whose `auto` is decided before anything is asked. */
type Decided = "machines" | "machinesPerRepository";

/** Every input, read. Durations in milliseconds, prices in USD per hour. */
export type InputValues = Omit<ByOption<WrittenInputs>, Decided> & Readonly<Record<Decided, number>>;

/**
 * Replaces `auto` by a number: one machine with a volume, and for the repository at least as many as
 * for this session. Without `setup` its time-out is 0.
 */
export function decided(written: WrittenInputs): Readonly<InputValues> {
  const inputs = byOption(written);
  const setupTimeout = inputs.setup === "" ? 0 : inputs.setupTimeout;
  const { machines: asked, machinesPerRepository: most } = inputs;
  const auto = AUTO_MACHINES[inputs.volumeId === undefined ? "usual" : "withVolume"];
  const machines = asked === "auto" ? auto : asked;
  const machinesPerRepository = most === "auto" ? Math.max(AUTO_MACHINES.perRepository, machines) : most;
  return Object.freeze({ ...inputs, machines, machinesPerRepository, setupTimeout });
}

/** Inputs that are secrets: masked as soon as they are read. */
export const SECRET_INPUTS: ReadonlySet<string> = new Set(["api-key", "github-token", "job-token", "image-login"]);

/** Inputs that no message shows: a part of a secret in an address would get past the mask. */
export const HIDDEN_INPUTS: ReadonlySet<string> = new Set([...SECRET_INPUTS, "api-url", "env", "setup", "probe"]);

/** Every input of the sweep. A test of the repository keeps it, sweep/action.yml and the README equal. */
export const sweepInputSchema = z.strictObject({
  ...inputSchema.pick({ "api-key": true, "api-url": true, "job-token": true }).shape,
  "dry-run": booleanField(false),
  "max-destroy": numberField({ min: 1, max: 1000, whole: true, unit: "machines", fallback: "20" }),
  "cancel-stuck-runs": booleanField(true),
  "rerun-lost": booleanField(false),
});

/** Every input of the sweep, read. */
export type SweepInputs = Readonly<ByOption<z.infer<typeof sweepInputSchema>>>;
