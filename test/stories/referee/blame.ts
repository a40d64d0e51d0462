import type { MainEnd } from "../drive.ts";
import { FALSE } from "../fault.ts";
import { MAX_PRICE } from "../story.ts";
import { type Box, isUp } from "../things.ts";
import type { World } from "../world.ts";
import { type Eye, LOOK_MS, MINUTE_MS, NEVER } from "./eye.ts";
import { type Hunger, SEARCHES_MS, STARVES_MS } from "./hunger.ts";
import { committed, failuresOf, hasFailed, isPassedOver, leastCost } from "./truth.ts";

/** What is true, and what went wrong. */
interface Seen {
  eye: Eye;
  world: World;
  hunger: Hunger;
}

/** Why what an end blames is not so; undefined: it is. */
type Claim = (seen: Seen) => string | undefined;

const otherwise = (isTrue: boolean, why: string) => (isTrue ? undefined : why);

/** The service or GitHub refused twice. The next request may be the first that is not refused. */
const refused: Claim = ({ eye, world: { now, story } }) =>
  otherwise(
    eye.faults.wasRefusedTwice(now - SEARCHES_MS) || story.unwritable !== undefined,
    "nothing refused, or nothing twice",
  );

const hasSearched = ({ hunger, world }: Seen) => hunger.wasWithoutOffer(world.story.searchS * 1000);

/** Nobody has such a GPU, rented or not; or none that would serve was to be had for all of search-timeout. */
const noOffer: Claim = (seen) => {
  const { eye, hunger, world } = seen;
  const { now, story } = world;
  const withinMs = story.searchS * 1000 + 2 * MINUTE_MS;
  const met = eye.faults.met.filter(({ at }) => at >= now - withinMs);
  // That searches showed nothing at all, which no market does, is no excuse.
  const isMarketEmpty = met.length > 0 && met.every(({ fault }) => fault.what === "no offers");
  const isTrue = story.offers === 0 || hasSearched(seen) || (eye.isBlind(withinMs) && !isMarketEmpty);
  return otherwise(isTrue, `an offer fits, or did ${Math.round((now - hunger.freshAt) / 1000)} s ago`);
};

/** A job has waited for as long; and machines were too slow, or there were none to be had. */
const readyTimeout: Claim = ({ eye, hunger, world: { boxes, now, story } }) => {
  const { allowedMs, goodSince, unservedMs } = hunger;
  const readyMs = story.readyS * 1000;
  if (unservedMs < readyMs - 20_000) return "no job has waited for so long";
  const wasRented = boxes.some(({ goneAt }) => goneAt > now - readyMs);
  const wasThere = goodSince !== undefined && now - goodSince >= readyMs && !eye.isBlind(readyMs);
  const isTrue = wasRented || !wasThere || allowedMs < STARVES_MS || hunger.wasRefusedSince(now - readyMs);
  return otherwise(isTrue, "no machine was asked for, and a good one was to be had all the while");
};

/** GitHub gives none of our runners a job. */
const dispatchesNothing: Claim = (seen) => {
  const { hunger, world } = seen;
  const { boxes, jobs, now, story } = world;
  if (world.running().length > 0) return "a job runs";
  const isExcused = story.hosts.some(({ fate }) => fate === "runner away" || fate === "cut off");
  const isAlone = noOffer(seen) === undefined || readyTimeout(seen) === undefined;
  const wasPaused = world.pauses().some(({ from, to }) => now >= from && now < to + 3 * MINUTE_MS);
  const beganAt = Math.max(-1, ...jobs.flatMap(({ box, startedAt }) => (box && startedAt <= now ? startedAt : [])));
  // One that is passed over may be deaf alone; two of them are none of ours' doing.
  const wasReady = (box: Box) => !hasFailed(box, now) && (isUp(box, now) || box.listenAt === NEVER);
  // Its host may fail in the moment in which that is over.
  const stood = (box: Box) => hunger.passedOver.has(box) || (isPassedOver(world, box) && wasReady(box));
  const isInVain = (box: Box) => stood(box) && Math.min(box.deadAt, now) >= beganAt;
  const hosts = new Set(boxes.filter(isInVain).map(({ offer }) => offer)).size;
  const isFull = world.inProgress() >= story.maxParallel;
  const isTrue = story.isExcluded || isExcused || wasPaused || isFull || hosts > 1 || (hosts > 0 && isAlone);
  return otherwise(isTrue, `GitHub gives jobs to our runners, but for those of ${hosts} host`);
};

/** What each stop says of the world; the others, that there is no offer. */
const CLAIMS: Readonly<Record<string, Claim>> = {
  refused,
  // A false list lacks the runner whose name is taken, as after a registration without an answer.
  unregistered: (seen) =>
    seen.eye.met(["runners"], SEARCHES_MS, FALSE) && seen.eye.met(["register"], NEVER) ? undefined : refused(seen),
  undestroyed: ({ eye }) => otherwise(eye.met(["destroy", "service", "list", "get"], NEVER), "every destruction works"),
  attempts: ({ eye, world }) => {
    // A job and the end of a machine between the same two looks: nobody can tell which came first.
    const failures = failuresOf(world, LOOK_MS).length;
    // By false lists of GitHub a runner comes online too late, or no job comes to it.
    const isMisled = eye.met(["runners", "jobs"], 2 * MINUTE_MS, FALSE);
    const { attempts } = world.story;
    return otherwise(failures >= attempts || isMisled, `${failures} of ${attempts} have failed`);
  },
  image: ({ world }) =>
    otherwise(world.boxes.filter(({ host }) => host.fate === "bad image").length > 1, "the image is good"),
  "ready-timeout": readyTimeout,
  "passed-over": dispatchesNothing,
  "passed-over-alone": dispatchesNothing,
  "max-cost": (seen) => {
    const { boxes, story } = seen.world;
    const isSpent = boxes.length > 0 && (story.maxCost ?? NEVER) - committed(seen.world) < leastCost(MAX_PRICE);
    return otherwise(isSpent || hasSearched(seen), "nothing was spent, and it was not searched for long");
  },
};

/** Why what the end blames for its stop is not so. */
export function whyNoReason({ stop = "" }: MainEnd, eye: Eye, world: World, hunger: Hunger): string | undefined {
  return (CLAIMS[stop] ?? noOffer)({ eye, world, hunger });
}
