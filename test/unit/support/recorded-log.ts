import type { Log } from "../../../src/log.ts";

/** A log that keeps what it is told. */
export class RecordedLog implements Log {
  readonly lines: string[] = [];
  readonly warnings: string[] = [];

  info(line: string): void {
    this.lines.push(line);
  }

  warning(line: string): void {
    this.warnings.push(line);
  }

  stage<T>(_title: string, work: () => Promise<T>): Promise<T> {
    return work();
  }
}
