/** Takes the lines that say what happens. In a step they go to the job's log; tests collect them. */
export interface Log {
  /** Logs one line of progress. */
  info(line: string): void;
  /** Logs a line that the user should look at. In a job it becomes an annotation. */
  warning(line: string): void;
  /** Runs one stage under a heading of its own. Stages don't nest. */
  stage<T>(title: string, work: () => Promise<T>): Promise<T>;
}
