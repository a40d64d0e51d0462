/** When a machine reached each stage, in milliseconds since the epoch. */
export interface StageTimes {
  asked: number;
  created?: number;
  running?: number;
  online?: number;
  /** When it was first seen to be gone, or its destruction was confirmed. */
  gone?: number;
}
