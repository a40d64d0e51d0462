/** The prefix of this session's labels: repository 1, run 2. */
export const PREFIX = "ghr1.1.2-1.abcdef";
/** What the GPU jobs ask for. */
export const RUNNER_LABEL = "gpu-4711-1";
/** The run of this session, the one that sweeps later, and others of which instances are left. */
export const RUNS = { ours: 2, open: 3, done: 4, sweeping: 6000 } as const;
