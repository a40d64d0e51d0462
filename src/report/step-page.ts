import { join } from "node:path";

/** The step as people see it. src/action writes to it, and makes foreign text harmless there. */
export interface StepPage {
  annotate(level: "error" | "warning", title: string, message: string): void;
  setOutput(name: string, value: string): void;
  /** Adds Markdown to the job's summary. A failure is only logged. */
  summarize(markdown: string): Promise<void>;
  /** Returns the folder that the platform empties at the job's end. */
  folder(): string;
}

/** Returns the path of a file for people that a session leaves behind. `end`: such as `-events.jsonl`. */
export function sessionFile(page: Pick<StepPage, "folder">, sessionId: string, end: string): string {
  return join(page.folder(), `ephemeral-gpu-runner-${sessionId}${end}`);
}
