/** An offer's price in USD per hour: all of it, and the disk, which bills without the GPU, too. */
export interface OfferPrice {
  total: number;
  storage: number;
  /** Of an interruptible machine: what is bid for its GPUs. */
  bid?: number;
}

/** A machine's rates: USD per hour, and per GB in and out, where the offer tells that. */
export interface MachinePrice {
  total: number;
  storage: number;
  inetDown?: number | undefined;
  inetUp?: number | undefined;
}
