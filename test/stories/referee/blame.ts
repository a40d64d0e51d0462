import type { MainEnd } from "../drive.ts";
import { FALSE, RENTING } from "../fault.ts";
import { type Box, isUp } from "../things.ts";
import type { World } from "../world.ts";
import { type Eye, LOOK_MS, MINUTE_MS } from "./eye.ts";
import { type Hunger, STARVES_MS } from "./hunger.ts";
import { committed, failuresOf, hasFailed, leastCost } from "./truth.ts";

/** Between two searches, at the longest. */
const SEARCHES_MS = 135_000;
/** `max-price` (drive.ts). */
const DEAREST = 0.6;

/** What an end blames, and why that is not so; undefined: it is. */
type Claim = (seen: Seen, hunger: Hunger) => string | undefined;

/** What is true, and what went wrong. */
type Seen = Pick<Eye, "faults" | "isBlind"> & { world: World };

const otherwise = (isTrue: boolean, why: string) => (isTrue ? undefined : why);

/** What each stop says of the world. */
const CLAIMS: Readonly<Record<string, Claim>> = {
  refused: isRefused,
  unregistered: (seen) => {
    const { faults, world } = seen;
    // A false list lacks the runner whose name is taken, as after a registration without an answer.
    const isFalse = faults.wasMetSince(["runners"], world.now - SEARCHES_MS, FALSE);
    return isFalse && faults.wasMetSince(["register"], 0) ? undefined : isRefused(seen);
  },
  undestroyed: ({ faults }) =>
    otherwise(
      faults.met.some(({ fault }) => ["destroy", "service", "list", "get"].includes(fault.where)),
      "every destruction works",
    ),
  attempts: ({ faults, world }) => {
    // A job and the end of a machine between the same two looks: nobody can tell which came first.
    const failures = failuresOf(world, LOOK_MS).length;
    // By false lists of GitHub a runner comes online too late, or no job comes to it.
    const isMisled = faults.wasMetSince(["runners", "jobs"], world.now - 2 * MINUTE_MS, FALSE);
    const { attempts } = world.story;
    return otherwise(failures >= attempts || isMisled, `${failures} of ${attempts} have failed`);
  },
  image: ({ world: { boxes } }) =>
    otherwise(boxes.filter(({ host }) => host.fate === "bad image").length > 1, "the image is good"),
  "ready-timeout": readyTimeout,
  "passed-over": whyDispatched,
  "passed-over-alone": whyDispatched,
  "max-cost": ({ world }, hunger) => {
    const left = (world.story.maxCost ?? Number.POSITIVE_INFINITY) - committed(world);
    const isSpent = world.boxes.length > 0 && left < leastCost(DEAREST);
    return otherwise(isSpent || hasSearched(world, hunger), "nothing was spent, and it was not searched for long");
  },
};

/** The service or GitHub refused twice. The next request may be the first that is not refused. */
function isRefused({ faults, world: { now, story } }: Seen): string | undefined {
  const isTrue = faults.wasRefusedTwice(now - SEARCHES_MS) || story.unwritable !== undefined;
  return otherwise(isTrue, "nothing refused, or nothing twice");
}

/** Nobody has such a GPU, rented or not; or none that would serve was to be had for all of search-timeout. */
function noOffer(eye: Seen, hunger: Hunger): string | undefined {
  const { now, story } = eye.world;
  const isBlind = eye.isBlind(story.searchS * 1000 + 2 * MINUTE_MS) && !isMarketEmpty(eye);
  const isTrue = story.offers === 0 || hasSearched(eye.world, hunger) || isBlind;
  return otherwise(isTrue, `an offer fits, or did ${Math.round((now - hunger.goodAt) / 1000)} s ago`);
}

/** The only fault was that searches showed nothing at all, which no market does. */
function isMarketEmpty({ faults, world: { now, story } }: Seen): boolean {
  const since = now - story.searchS * 1000 - 2 * MINUTE_MS;
  const met = faults.met.filter(({ at }) => at >= since);
  return met.length > 0 && met.every(({ fault }) => fault.what === "no offers");
}

function hasSearched({ story }: World, hunger: Hunger): boolean {
  return hunger.wasWithoutOffer(story.searchS * 1000, SEARCHES_MS);
}

/** A job has waited for as long; and machines were too slow, or there were none to be had. */
function readyTimeout(eye: Seen, hunger: Hunger): string | undefined {
  const { goodSince, unservedMs } = hunger;
  const { boxes, now, story } = eye.world;
  const readyMs = story.readyS * 1000;
  if (unservedMs < readyMs - 20_000) return "no job has waited for so long";
  const wasRented = boxes.some(({ goneAt }) => goneAt > now - readyMs);
  const wasThere = goodSince !== undefined && now - goodSince >= readyMs && !eye.isBlind(readyMs);
  return otherwise(
    wasRented || !wasThere || hunger.allowedMs < STARVES_MS,
    "no machine was asked for, and a good one was to be had all the while",
  );
}

/** Why what the end blames for its stop is not so. */
export function whyNoReason(
  { stop = "" }: MainEnd,
  { faults, record: { now } }: Eye,
  world: World,
  hunger: Hunger,
): string | undefined {
  const isBlind = (withinMs: number) => faults.wasMetSince(RENTING, now - withinMs);
  return (CLAIMS[stop] ?? noOffer)({ faults, isBlind, world }, hunger);
}

/** Why it is not so that GitHub gives none of our runners a job; undefined: it is. */
function whyDispatched(eye: Seen, hunger: Hunger): string | undefined {
  const { world } = eye;
  const { boxes, now, story } = world;
  if (world.running().length > 0) return "a job runs";
  const isExcused = story.hosts.some(({ fate }) => fate === "runner away" || fate === "cut off");
  const wasPaused = world.pauses().some(({ from, to }) => now >= from && now < to + 3 * MINUTE_MS);
  // One that is passed over may be deaf alone; two of them are none of ours' doing. A stuck runner gets no job, either.
  const getsNone = ({ host: { isDeaf, stuckS } }: Box) => isDeaf || stuckS > 0;
  const inVain = boxes.filter(
    (box) => getsNone(box) && !hasFailed(box, now) && (isUp(box, now) || box.listenAt === Number.POSITIVE_INFINITY),
  );
  const hosts = new Set(inVain.map(({ offer }) => offer)).size;
  // Nobody else was to be had.
  const isAlone = noOffer(eye, hunger) === undefined || readyTimeout(eye, hunger) === undefined;
  const isFull = world.inProgress() >= story.maxParallel;
  const isTrue = story.isExcluded || isExcused || wasPaused || isFull || hosts > 1 || (hosts > 0 && isAlone);
  return otherwise(isTrue, `GitHub gives jobs to our runners, but for those of ${hosts} host`);
}
