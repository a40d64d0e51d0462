/** Where the rooms tell what happens. The action room writes it to the job's log; tests keep it. */
export interface Log {
  /** One line of progress. */
  info(line: string): void;
  /** Something the user should look at; an annotation in the job. */
  warning(line: string): void;
  /** Runs one stage under a heading of its own. Stages don't nest. */
  stage<T>(title: string, work: () => Promise<T>): Promise<T>;
}
