/** What an offer costs in USD per hour: all of it, and the part that is disk and bills while the GPU does not. */
export interface OfferPrice {
  total: number;
  storage: number;
  /** Of an interruptible machine: what is bid for its GPUs. */
  bid?: number;
}

/** What a machine bills: USD per hour, and per GB that goes in or out, where the offer tells that. */
export interface MachinePrice {
  total: number;
  storage: number;
  inetDown?: number | undefined;
  inetUp?: number | undefined;
}
