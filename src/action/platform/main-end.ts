import * as core from "@actions/core";
import { z } from "zod";
import { KnownError } from "../../known-error.ts";
import { parseJson } from "../../service/parse-json.ts";
import { oneLine } from "../../text/foreign-text.ts";
import { CancelledError } from "./cancelled-error.ts";

const mainEndSchema = z.discriminatedUnion("kind", [
  /** The GPU job ran, and is over. */
  z.object({ kind: z.literal("over") }),
  /** Main returned with the machine ready: later steps, or other jobs, use it. */
  z.object({ kind: z.literal("ready") }),
  /** Nobody asked for a machine. */
  z.object({ kind: z.literal("no-job"), message: z.string() }),
  z.object({ kind: z.literal("failed"), name: z.string(), message: z.string(), hint: z.string().optional() }),
  /** `check: true`: all was well, and nothing was to be rented. */
  z.object({ kind: z.literal("checked") }),
  /** SIGINT or SIGTERM: a cancel, or the step's timeout-minutes. */
  z.object({ kind: z.literal("stopped") }),
]);

/** How main ended, in its own words. Foreign text in it is one line; it is not harmless in Markdown. */
export type MainEnd = z.infer<typeof mainEndSchema>;

const LONGEST = 1000;

/** Tells post how main ended. Without a word main was cut off. */
export function noteEnd(end: MainEnd): void {
  core.saveState("end", JSON.stringify(end));
}

/** Tells post why main failed, whatever was thrown. */
export function noteFailure(error: unknown): void {
  noteEnd(error instanceof CancelledError ? { kind: "stopped" } : failureOf(error));
}

function failureOf(error: unknown): MainEnd {
  if (!(error instanceof KnownError)) {
    const what = error instanceof Error ? error.message : String(error);
    return { kind: "failed", name: "Bug", message: oneLine(`This is a bug of ephemeral-gpu-runner: ${what}`, LONGEST) };
  }
  const hint = error.hint === undefined ? {} : { hint: oneLine(error.hint, LONGEST) };
  return { kind: "failed", name: error.name, message: oneLine(error.message, LONGEST), ...hint };
}

/** What main said of its end; undefined when it could not say anything. */
export function readEnd(): MainEnd | undefined {
  return mainEndSchema.safeParse(parseJson(core.getState("end"))).data;
}
