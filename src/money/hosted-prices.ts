/**
 * GitHub's price for the job that holds the machine, in USD per minute, from its public pages in
 * 2026: the smallest standard Linux runner, 2 cores. Larger ones cost more; public repositories pay
 * nothing.
 */
export const HOLDER_USD_PER_MINUTE = 0.006;
