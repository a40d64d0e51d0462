import { renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as core from "@actions/core";
import { parseJson } from "../shared/json.ts";
import type { Log } from "../shared/log.ts";
import { contextSchema, type ReceiptContext, type ReceiptFacts, receiptOf } from "./receipt.ts";

/** Main's side: writes down what post needs for its receipt. */
export function noteContext(context: ReceiptContext): void {
  core.saveState("receipt", JSON.stringify(context));
}

/** Post's side. A receipt only tells: what can't be read is left out. */
export function readContext(): ReceiptContext | undefined {
  return contextSchema.safeParse(parseJson(core.getState("receipt"))).data;
}

/** The path of a use's receipt, in the folder that the platform empties at the job's end. */
export function receiptPath(labelPrefix: string): string {
  const use = labelPrefix.slice(labelPrefix.lastIndexOf(".") + 1);
  return join(process.env.RUNNER_TEMP || tmpdir(), `ephemeral-gpu-runner-${use}.json`);
}

/** Writes the receipt and returns its path; empty when it can't be written, which is only told. */
export function writeReceipt(log: Log, facts: ReceiptFacts): string {
  const path = receiptPath(facts.labelPrefix);
  try {
    // Whole or not at all: another process may be reading it.
    writeFileSync(`${path}.new`, `${JSON.stringify(receiptOf(facts), null, 2)}\n`, { mode: 0o644 });
    renameSync(`${path}.new`, path);
    return path;
  } catch (error) {
    log.warning(`The receipt could not be written: ${error instanceof Error ? error.message : error}`);
    return "";
  }
}
