import * as core from "@actions/core";
import { z } from "zod";
import { oneLine } from "../shared/foreign-text.ts";
import { parseJson } from "../shared/json.ts";
import { UserError } from "../shared/user-error.ts";
import { CancelledError } from "./cancelled-error.ts";

const WHAT = ["no-machine", "job-failed", "lost", "label-in-use", "bug", "other"] as const;

/** Offers that somebody else had. */
const taken = { taken: z.number().default(0) };

const mainEndSchema = z.discriminatedUnion("kind", [
  /** The GPU job ran, and is over. */
  z.object({ kind: z.literal("over"), ...taken }),
  /** Main returned with the machine ready: later steps, or other jobs, use it. */
  z.object({ kind: z.literal("ready") }),
  /** Nobody asked for a machine. */
  z.object({ kind: z.literal("no-job"), message: z.string() }),
  z.object({
    kind: z.literal("failed"),
    what: z.enum(WHAT),
    message: z.string(),
    hint: z.string().optional(),
    ...taken,
  }),
  /** `check: true`: all was well, and nothing was to be rented. */
  z.object({ kind: z.literal("checked") }),
  /** SIGINT or SIGTERM: a cancel, or the step's timeout-minutes. */
  z.object({ kind: z.literal("stopped") }),
]);

/** The end of main in its own words. Foreign text in it is one line, not harmless in Markdown. */
export type MainEnd = z.infer<typeof mainEndSchema>;
type WrittenEnd = z.input<typeof mainEndSchema>;

const LONGEST = 1000;

/** Tells post how main ended. Without a word main was cut off. */
export function noteEnd(end: WrittenEnd): void {
  core.saveState("end", JSON.stringify(end));
}

/** Tells post why main failed, whatever was thrown. */
export function noteFailure(error: unknown, taken: number): void {
  noteEnd(error instanceof CancelledError ? { kind: "stopped" } : failureOf(error, taken));
}

function failureOf(error: unknown, taken: number): WrittenEnd {
  if (!(error instanceof UserError)) {
    const what = error instanceof Error ? error.message : String(error);
    return {
      kind: "failed",
      what: "bug",
      taken,
      message: oneLine(`This is a bug of ephemeral-gpu-runner: ${what}`, LONGEST),
    };
  }
  const hint = error.hint === undefined ? {} : { hint: oneLine(error.hint, LONGEST) };
  return { kind: "failed", what: error.kind, taken, message: oneLine(error.message, LONGEST), ...hint };
}

/** The end that main wrote down; undefined when it could not. */
export function readEnd(): MainEnd | undefined {
  return mainEndSchema.safeParse(parseJson(core.getState("end"))).data;
}
