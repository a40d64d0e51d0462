/** When a machine reached each stage, in milliseconds since the epoch. */
export interface StageTimes {
  asked: number;
  created?: number | undefined;
  running?: number | undefined;
  online?: number | undefined;
  /** When it was first seen to be gone, or its destruction was confirmed. */
  gone?: number | undefined;
}

/** What post needs to tell how a machine did and what it cost. Prices in USD per hour. */
export interface Report {
  instanceId: number;
  offer: { id: number; machine_id?: number | undefined; gpu_name: string; num_gpus: number };
  price: { total: number; storage: number };
  at: StageTimes;
  /** The last state seen, in words. */
  last: string;
}
