/** The step as people see it. src/action writes to it; foreign text is made harmless there. */
export interface StepPage {
  annotate(level: "error" | "warning", title: string, message: string): void;
  setOutput(name: string, value: string): void;
  /** Adds Markdown to the job's summary. A failure is only told. */
  summarize(markdown: string): Promise<void>;
  /** The folder that the platform empties at the job's end. */
  folder(): string;
}
