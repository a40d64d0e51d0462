import fc from "fast-check";
import { aHost, aRunJob, aStory } from "./a-story.ts";
import type { Fault, What, Where } from "./fault.ts";
import type { Death, Fate, HostStory, InputsStory, JobStory, Story } from "./story.ts";
import { switchedOn, withTroubles } from "./troubles.ts";

const often = <T>(usual: T, other: fc.Arbitrary<T>, weight = 4) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight }, { arbitrary: other, weight: 1 });

const host: fc.Arbitrary<HostStory> = fc
  .record({
    price: fc.constantFrom(0.2, 0.4, 0.55, 0.7),
    offeredS: often(0, fc.integer({ min: 1, max: 500 }), 6),
    createS: often(1, fc.integer({ min: 0, max: 30 })),
    bootS: fc.integer({ min: 5, max: 200 }),
    onlineS: fc.integer({ min: 3, max: 90 }),
    fate: often<Fate>(
      "works",
      fc.constantFrom(
        "never boots",
        "bad image",
        "broken",
        "gives itself back",
        "never online",
        "vanishes",
        "exits",
        "outbid",
        "outbid",
        "stopped",
        "silent",
        "runner away",
        "cut off",
      ),
      3,
    ),
    fateS: fc.integer({ min: 1, max: 900 }),
    lastsS: fc.integer({ min: 10, max: 300 }),
    blipS: fc.integer({ min: 10, max: 300 }),
    blipForS: often(0, fc.integer({ min: 1, max: 30 })),
    tellsS: fc.constantFrom(4, 30, 600),
    isFrozen: often(false, fc.constant(true), 9),
    destroyS: often(1, fc.integer({ min: 0, max: 70 })),
    listedS: often(0, fc.integer({ min: 1, max: 50 })),
    ghostS: often(0, fc.integer({ min: 1, max: 90 }), 6),
    ghostAs: fc.constantFrom("as it was", "exited"),
  })
  .map(aHost);

const job: fc.Arbitrary<JobStory> = fc
  .record({
    appearsS: often(0, fc.integer({ min: 1, max: 400 }), 2),
    isChained: often(false, fc.constant(true)),
    heldS: often(0, fc.integer({ min: 1, max: 300 }), 6),
    lastsS: fc.integer({ min: 1, max: 900 }),
    conclusion: often("success", fc.constant("failure"), 3),
    cancelledS: often<number | undefined>(undefined, fc.integer({ min: 1, max: 500 }), 9),
    asksForMore: often(false, fc.constant(true), 12),
  })
  .map(aRunJob);

/** No answer, or one that is not the place's own. */
const PASSING = ["lost", "502", "429", "page 200", "page 403", "page 404"] as const;
const DENIED = ["401", "403"] as const;
const FALSE_LISTS = ["empty", "empty, honest", "partial", "partial, honest", "old"] as const;
const OF_CREATES = ["taken", "no credit", "comes late", "no id", "refused, and an id", "400 host"] as const;

/** What can go wrong where; what is told more than once is more likely. */
const WHATS: Readonly<Record<Where, readonly What[]>> = {
  list: [...PASSING, "401", "404", ...FALSE_LISTS, ...FALSE_LISTS],
  get: [...PASSING, "401"],
  create: [...PASSING, "lost after", ...DENIED, "404", "400 request", ...OF_CREATES, "twin", "twin", "twin", "twin"],
  destroy: [...PASSING, "lost after", ...DENIED, "said, not done", "success: false"],
  search: [...PASSING, ...DENIED, "400 request"],
  register: [...PASSING, "lost after", ...DENIED, "404"],
  runners: [...PASSING, ...DENIED, ...FALSE_LISTS, ...FALSE_LISTS],
  remove: [...PASSING, "lost after", ...DENIED],
  jobs: [...PASSING, ...DENIED, ...FALSE_LISTS, ...FALSE_LISTS],
  "github-token": ["lost", "401", "404", "429"],
  "job-token": ["lost", "401", "404", "429"],
  service: ["lost", "502", "429", "page 403"],
  cancel: [...PASSING, ...DENIED],
};

const WHERES = Object.keys(WHATS) as Where[];

const fault: fc.Arbitrary<Fault> = fc.constantFrom(...WHERES, "list" as const, "create" as const).chain((where) =>
  fc.record({
    where: fc.constant(where),
    what: fc.constantFrom(...WHATS[where]),
    fromS: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 900 })),
    lastsS: fc.oneof(fc.constantFrom(15, 30), fc.integer({ min: 1, max: 400 })),
    times: fc.constantFrom(1, 2, 1000),
    detail: fc.integer({ min: 30, max: 90 }),
  }),
);

/** Any end of main by another hand. */
export const ANY_DEATH: fc.Arbitrary<Death> = fc.record({
  kind: fc.constantFrom("cancelled", "killed"),
  afterStartS: fc.constant(undefined),
  request: fc.integer({ min: 1, max: 60 }),
  isAfter: fc.boolean(),
  hasPost: often(true, fc.constant(false)),
  postRequest: often<number | undefined>(undefined, fc.integer({ min: 1, max: 8 }), 3),
  isDoubted: fc.boolean(),
});

const inputs: fc.Arbitrary<Omit<InputsStory, "machines">> = fc.record({
  jobs: often<number | "auto">("auto", fc.integer({ min: 1, max: 5 }), 3),
  hedge: fc.boolean(),
  hold: often(true, fc.constant(false), 12),
  jobsPerMachine: often(1, fc.integer({ min: 2, max: 4 }), 2),
  attempts: fc.integer({ min: 1, max: 4 }),
  waitForJobS: fc.constantFrom(0, 60, 300),
  idleS: fc.constantFrom(60, 120, 300),
  readyS: fc.constantFrom(300, 900, 1500),
  searchS: fc.constantFrom(0, 120, 600),
  lifetimeS: fc.constantFrom(900, 1800, 3600),
  keepFailedS: often(0, fc.constantFrom(60, 300), 5),
  machinesPerRepository: often(16, fc.integer({ min: 1, max: 4 })),
  attempt: often(1, fc.constant(2)),
  mayWait: fc.boolean(),
  maxCost: often<number | undefined>(undefined, fc.constantFrom(0.05, 0.12, 0.3, 1, 5), 2),
  bid: often<number | undefined>(undefined, fc.constantFrom(0.3, 0.5), 3),
  bidFallback: fc.boolean(),
});

/** What only troubles change (troubles.ts) is as in a plain story. */
const rest: fc.Arbitrary<Partial<Story>> = fc.record({
  hosts: fc.array(host, { minLength: 1, maxLength: 6 }),
  offers: often(40, fc.integer({ min: 0, max: 4 })),
  jobsOfRun: fc.oneof(
    { arbitrary: fc.array(job, { minLength: 1, maxLength: 4 }), weight: 5 },
    { arbitrary: fc.array(job, { maxLength: 12 }), weight: 1 },
  ),
  maxParallel: often(99, fc.integer({ min: 1, max: 2 })),
  assignS: often(2, fc.integer({ min: 0, max: 12 })),
  isExcluded: often(false, fc.constant(true), 19),
  jobsLagS: often(0, fc.integer({ min: 0, max: 10 })),
  runnersLagS: often(0, fc.integer({ min: 0, max: 10 })),
  instancesLagS: often(0, fc.integer({ min: 0, max: 10 })),
  otherRunners: often(0, fc.constantFrom(20, 120), 3),
  othersUntilS: often(0, fc.integer({ min: 1, max: 900 }), 2),
  faults: fc.array(fault, { maxLength: 3 }),
  sweepsFirst: often(false, fc.constant(true), 9),
  death: often<Death | undefined>(undefined, ANY_DEATH, 6),
});

/** Any story with so many machines at most, and some of these troubles. */
export function stories(machines: fc.Arbitrary<number>, troubles = switchedOn()): fc.Arbitrary<Story> {
  const base = fc
    .tuple(machines, inputs, rest)
    .map(([most, given, drawn]) => aStory({ machines: most, ...given, ...drawn }));
  return withTroubles(base, troubles);
}

/** From one machine to sixteen, few more often. */
export const ANY_STORY = stories(
  fc.oneof(
    { arbitrary: fc.constant(1), weight: 3 },
    { arbitrary: fc.integer({ min: 2, max: 4 }), weight: 4 },
    { arbitrary: fc.constantFrom(8, 16), weight: 1 },
  ),
);
