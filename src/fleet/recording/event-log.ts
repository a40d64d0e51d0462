import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { Log } from "../../shared/log.ts";
import type { FleetEvent } from "../events.ts";
import type { Rules } from "../options.ts";
import type { Fleet } from "../state.ts";
import { EVENTS_VERSION } from "./replay.ts";

const MOST_EVENTS_BYTES = 5_000_000;

/**
 * Writes the loop's events into a file, from which `npm run replay` shows what was decided and why.
 * The file keeps the newest 5 MB. A full disk is reported once, and does not stop the loop.
 */
export class EventLog {
  readonly #path: string;
  readonly #log: Log;
  #bytes = 0;
  /** Where the newer half of the file begins, and its header: the state at that point. */
  #half: { at: number; header: string } | undefined;
  #isBroken = false;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Writes an event down, right before the state takes it in. */
  happened(event: FleetEvent, state: Fleet, rules: Rules): void {
    if (this.#isBroken) return;
    const header = () => `${JSON.stringify({ version: EVENTS_VERSION, rules, state })}\n`;
    try {
      if (this.#bytes === 0) this.#begin(header());
      if (this.#half === undefined && this.#bytes > MOST_EVENTS_BYTES / 2)
        this.#half = { at: this.#bytes, header: header() };
      if (this.#half !== undefined && this.#bytes > MOST_EVENTS_BYTES) this.#forgetOlderHalf(this.#half);
      this.#append(`${JSON.stringify(event)}\n`);
    } catch (error) {
      this.#isBroken = true;
      this.#log.warning(`The events can't be written down any more: ${(error as Error).message}. All else goes on.`);
    }
  }

  #begin(text: string): void {
    writeFileSync(this.#path, text);
    this.#bytes = Buffer.byteLength(text);
  }

  #append(text: string): void {
    appendFileSync(this.#path, text);
    this.#bytes += Buffer.byteLength(text);
  }

  #forgetOlderHalf({ at, header }: { at: number; header: string }): void {
    const newer = readFileSync(this.#path).subarray(at).toString();
    this.#begin(header + newer);
    this.#half = undefined;
  }
}
