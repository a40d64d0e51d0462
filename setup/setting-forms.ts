import { z } from "zod";
import { visible } from "./screen.ts";
import { SetupError } from "./setup-error.ts";

/** The job that rents may last 350 minutes, and a job twice as long as usual. */
const MOST_MINUTES = 160;

/** YAML has numbers where people type words. */
const word = z.union([z.string(), z.number()]).transform(String);
const fits = (form: RegExp) => word.pipe(z.string().max(300).regex(form));
const amount = fits(/^\d+(\.\d+)?$/)
  .transform(Number)
  .refine((usd) => usd >= 0.001 && usd <= 1000);
const minutes = fits(/^\d+$/)
  .transform(Number)
  .refine((count) => count >= 1 && count <= MOST_MINUTES);
const gpus = fits(/\S/).refine((names) => names.split(",").every((name) => /^[\w .+-]*\w[\w .+-]*$/.test(name)));
/** Whatever ends a line beside `\n`, or changes the order in which a line is shown, is no part of a command. */
const command = word
  .transform((text) => text.replaceAll("\r\n", "\n").trim())
  .pipe(
    z
      .string()
      .max(20_000)
      .regex(/^(?:[^\p{C}\p{Zl}\p{Zp}]|[\n\t\u200c\u200d])+$/u),
  );

const REGISTRATIONS = ["token", "app"] as const;
const COMMITS = ["pull-request", "branch", "none"] as const;
/** What becomes of the files. */
export type CommitHow = (typeof COMMITS)[number];
const TASKS = ["init", "doctor", "remove"] as const;

/** What each setting may be, whether somebody typed it or a file has it. */
const FORMS = {
  gpu: gpus,
  maxPrice: amount,
  // No limit must be said, too.
  maxCost: z.union([amount, z.literal("none")]),
  jobMinutes: minutes,
  minCuda: fits(/^\d{1,2}(\.\d)?$/),
  image: fits(/^\w[\w./:@-]*$/),
  command,
  appClientId: fits(/^[\w.]+$/),
  runnerGroupId: fits(/^\d{1,9}$/).transform(Number),
  // Two dots would be another place in a path of GitHub's.
  environment: fits(/^(?!\.+$)[\w.-]{1,90}$/),
  defaultBranch: fits(/^[^\p{C}\p{Z}]+$/u),
  action: fits(/^[\w.-]+\/[\w.-]+@[\w./-]+$/),
  register: z.enum(REGISTRATIONS),
  commit: z.enum(COMMITS),
  branch: fits(/^\w[\w./-]*$/),
  repo: z.string(),
  task: z.enum(TASKS),
} as const;

const MUST: { [key in keyof typeof FORMS]?: string } = {
  maxPrice: "must be an amount in USD such as 0.60, not",
  maxCost: "must be an amount in USD such as 0.60, or none, not",
  jobMinutes: `must be a whole number of minutes up to ${MOST_MINUTES}, not`,
  register: `must be ${REGISTRATIONS.join(" or ")}, not`,
  commit: `must be ${COMMITS.join(" or ")}, not`,
  task: `must be ${TASKS.join(" or ")}, not`,
};

/** A setting that has a form. */
export type FormedSetting = keyof typeof FORMS;
/** What a setting is when it is read. */
export type Formed<K extends FormedSetting> = z.output<(typeof FORMS)[K]>;

/** Reads one setting. Throws where it has another form; `name` is what the person calls it. */
export function readSetting<K extends FormedSetting>(key: K, given: unknown, name: string): Formed<K> {
  const { success, data } = FORMS[key].safeParse(given);
  if (success) return data as Formed<K>;
  throw new SetupError(`${name} ${MUST[key] ?? "can't be"} ${shown(given)}.`);
}

function shown(given: unknown): string {
  const text = typeof given === "string" ? `"${given}"` : String(JSON.stringify(given));
  return visible(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
