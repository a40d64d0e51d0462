/**
 * What GitHub asks for the job that holds the machine, in USD per minute, from its public pages in 2026. Public repositories pay nothing for
 * standard runners. Taken is the smallest standard Linux runner, 2 cores: a larger one costs more.
 */
export const HOLDER_USD_PER_MINUTE = 0.006;
