import type { Log } from "../../../src/shared/log.ts";

/** A log that keeps its lines. */
export class RecordedLog implements Log {
  readonly lines: string[] = [];
  readonly warnings: string[] = [];
  readonly stages: string[] = [];
  #depth = 0;

  info(line: string): void {
    this.lines.push(line);
  }

  warning(line: string): void {
    this.warnings.push(line);
  }

  async stage<T>(title: string, work: () => Promise<T>): Promise<T> {
    this.stages.push(title);
    this.#depth += 1;
    // The platform has no groups within groups.
    if (this.#depth > 1) throw new Error(`The stage "${title}" began within another one.`);
    try {
      return await work();
    } finally {
      this.#depth -= 1;
    }
  }
}
