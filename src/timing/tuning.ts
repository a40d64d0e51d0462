import { HOUR_MS } from "../shared/duration.ts";
/**
 * The figures of which machine is taken, when it is late and when it has failed, in milliseconds. Tried on the market
 * of `npm run bench -- market`; ADR 17 has the lessons.
 */
export const TUNING = {
  boot: {
    /** Provisioning, creation and start, with no image to pull: seen to take 30 to 60 seconds. */
    baseMs: 40_000,
    /** A host that pulled the image before only creates and starts. */
    withImageMs: 45_000,
    /** A machine of which nothing is known. It only has to be the same for all of them. */
    unknownMs: 240_000,
    /** Compressed GB of an image of unknown size: most CUDA runtime images are smaller, devel twice that. */
    unknownGb: { usual: 5, devel: 10 },
    /** How many boots the median is of. With fewer, one host decides; with more, last week's network does. */
    recentBoots: 15,
    /** Ratios of actual to estimated time beyond these come from a wrong clock. */
    ratios: { least: 0.1, most: 10 },
  },
  late: {
    /** Below a minute the looks themselves delay too much. */
    leastMs: 60_000,
    /** From running to online a good machine takes 10 to 30 s. */
    onlineMs: 60_000,
    /** Times the expected boot: four of five healthy machines are there by then. */
    usual: 1.3,
    /** With a history: a proven host is waited for longer, and for an unproven one a second machine is started. */
    withHistory: 1.75,
  },
  limits: {
    /** Times the expected boot: a machine that takes longer is broken, not slow. */
    patience: 3,
    /** Times the expected boot where `machines` leaves no room for another machine, which would likely be ready first. */
    patienceWithoutRoom: 2,
    shortestMs: 5 * 60_000,
    longestMs: 40 * 60_000,
  },
  cost: {
    /** The price of the usual wait. A waiting developer costs more, but does other things meanwhile. */
    waitingUsdPerHour: 0.5,
    /** The price of the wait after a machine was late or failed. Long waits disturb most. */
    urgentUsdPerHour: 3,
    /** GPU seconds between running and the job's start, and between its end and the destruction. */
    aroundJobMs: 20_000,
    /** A job of which nothing is known counts as one in the mean, which is over 8 min where half of the jobs take 5. */
    priorJobMs: 500_000,
    /** How long a job waits for a machine that never gets ready: until it is late, and the next one boots. */
    failureMs: 300_000,
    /** The share of machines that never get ready: a fifth on this market, few of those that served lately. */
    failureChance: { usual: 0.2, proven: 0.02 },
  },
  market: {
    /** How long one search serves creates. */
    keepsMs: 60_000,
  },
  history: {
    /** How long a host counts as proven after it served. A third of the offers go in an hour, hosts stay for weeks. */
    provenForMs: 48 * HOUR_MS,
    /** How long a host that failed comes last. By then most faults are mended, or the host is gone. */
    failedForMs: 24 * HOUR_MS,
  },
} as const;
