import fc from "fast-check";
import type { Fault } from "./fault.ts";
import { often, whole } from "./plan.ts";
import { ANY_CALM_STORY, aDeath, anyJobs, aRunJob, type HostStory, type JobStory, type Story } from "./story.ts";

/** Each field is as it says, or is drawn. */
type Drawn<Values> = { [Name in keyof Values]?: Values[Name] | fc.Arbitrary<Values[Name]> };

/** What can befall a session beside a calm story, and what of that it changes. */
interface Trouble {
  name: string;
  /** Only the virtual world can play it, not the simulator (test/chaos). */
  isVirtual?: true;
  story?: Drawn<Story>;
  /** Of the first host and some others, and of such jobs. */
  hosts?: Drawn<HostStory>;
  jobs?: Drawn<JobStory>;
  fault?: fc.Arbitrary<Fault>;
}

function anyWith<Values>(given: Drawn<Values> = {}): fc.Arbitrary<Partial<Values>> {
  const fields = Object.entries(given).map(([name, value]) => [name, isDrawn(value) ? value : fc.constant(value)]);
  return fc.record(Object.fromEntries(fields)) as unknown as fc.Arbitrary<Partial<Values>>;
}

function isDrawn(value: unknown): value is fc.Arbitrary<unknown> {
  return typeof value === "object" && value !== null && "generate" in value;
}

const span = (least: number, most: number) =>
  fc.record({ fromS: fc.oneof(fc.constant(0), whole(1, 900)), lastsS: whole(least, most) });

const lasting = (where: Fault["where"], what: Fault["what"], least: number, most: number): fc.Arbitrary<Fault> =>
  span(least, most).map((when) => ({ where, what, ...when, times: 1000, detail: 30 }));

const manyJobs = (least: number, most: number) =>
  fc.array(
    whole(least, most).map((lastsS) => aRunJob({ lastsS })),
    { minLength: 5, maxLength: 16 },
  );

/** The first job runs for hours. */
const beside = fc
  .tuple(whole(2400, 9000), anyJobs(1, 4))
  .map(([lastsS, jobs]) => jobs.map((job, index) => (index === 0 ? { ...job, lastsS } : job)));

const HOURS = { lifetimeS: 10_800 } as const;

/** All troubles. A story has up to two of them, and says which in `had`. */
export const TROUBLES: readonly Trouble[] = [
  { name: "deaf hosts", hosts: { isDeaf: true, fate: "works" } },
  {
    name: "dispatch pauses",
    story: {
      ...{ ...HOURS, idleS: 60, maxParallel: 99, machinesPerRepository: 16, machines: whole(2, 6) },
      jobsOfRun: fc.oneof(beside, manyJobs(1800, 7200)),
      pauses: fc
        .record({
          fromS: often(2, whole(0, 900), 3),
          lastsS: whole(60, 600),
          isSinceStart: often(true, fc.constant(false), 3),
        })
        .map((pause) => [pause]),
    },
  },
  { name: "max-parallel", story: { maxParallel: whole(1, 3), machines: whole(3, 8), jobsOfRun: manyJobs(60, 900) } },
  { name: "slow lists", story: { jobsTakeS: 16 } },
  { name: "slow lists of many pages", story: { jobsTakeS: 6, otherJobs: 250 } },
  {
    name: "stuck busy runners",
    hosts: { stuckS: whole(1200, 7200), stuckAs: fc.constantFrom("busy" as const, "422" as const) },
  },
  { name: "a token that loses the repository", fault: lasting("remove", "404", 15, 400) },
  { name: "422s that linger", story: { lingersS: whole(5, 40) } },
  { name: "creates without an answer", fault: lasting("create", "lost", 120, 400), story: { offers: whole(1, 5) } },
  { name: "two sessions of one label", isVirtual: true, jobs: { elsewhereS: whole(0, 300), lastsS: whole(1, 5000) } },
  {
    name: "unwritable files",
    isVirtual: true,
    story: { unwritable: span(15, 400).map(({ fromS, lastsS }) => ({ fromS: fromS + 1, lastsS })) },
  },
  { name: "empty markets", fault: lasting("search", "no offers", 30, 400) },
  {
    name: "a sweep whose clock is ahead",
    isVirtual: true,
    story: {
      sweepAheadS: 10_800,
      death: fc
        .record({ request: whole(10, 60), isAfter: fc.boolean(), isDoubted: fc.boolean() })
        .map((death) => aDeath({ ...death, hasPost: false })),
    },
  },
  { name: "409s to registrations", fault: lasting("register", "409", 15, 2000) },
  {
    name: "hosts that go right after a job",
    hosts: {
      fate: fc.constantFrom("vanishes" as const, "exits" as const, "outbid" as const, "stopped" as const),
      ...{ fateS: 86_400, followsS: whole(0, 4) },
    },
    jobs: { conclusion: "failure" },
  },
  {
    name: "destructions without an answer",
    fault: fc.oneof(lasting("destroy", "lost after", 120, 900), lasting("destroy", "hangs", 120, 3600)),
    hosts: { fate: fc.constantFrom("broken" as const, "exits" as const), fateS: 30 },
  },
  {
    name: "cancels right after a job began",
    story: {
      ...{ waitForJobS: 0, othersUntilS: 900, hold: true },
      jobsOfRun: whole(30, 200).map((appearsS) => [aRunJob({ appearsS })]),
      death: whole(0, 4).map((afterStartS) => aDeath({ kind: "run cancelled", afterStartS })),
    },
  },
  {
    name: "short jobs that nobody holds for",
    story: { hold: false, machines: 1, jobs: "auto" },
    jobs: { lastsS: whole(1, 9), appearsS: 0, heldS: 0 },
  },
];

/** Those of a list whose bit is set; always the first one's. */
const CHOSEN = fc.record({ ofHosts: whole(0, 63), ofJobs: whole(0, 63) });

function changed<Thing>(things: readonly Thing[], bits: number, given: Partial<Thing>): Thing[] {
  const isChosen = (index: number) => ((((bits << 1) | 1) >> (index % 7)) & 1) === 1;
  return things.map((thing, index) => (isChosen(index) ? { ...thing, ...given } : thing));
}

/** How a trouble changes a drawn story. */
function changeOf(trouble: Trouble): fc.Arbitrary<{ name: string; change: (given: Story) => Story }> {
  const { fault, hosts, jobs, name, story } = trouble;
  const faults = fault === undefined ? fc.constant([]) : fault.map((each) => [each]);
  return fc
    .tuple(CHOSEN, anyWith(story), anyWith(hosts), anyWith(jobs), faults)
    .map(([{ ofHosts, ofJobs }, ofStory, ofHost, ofJob, more]) => ({
      name,
      change: (given) => ({
        ...{ ...given, ...ofStory },
        hosts: changed(given.hosts, ofHosts, ofHost),
        jobsOfRun: changed(ofStory.jobsOfRun ?? given.jobsOfRun, ofJobs, ofJob),
        faults: [...more, ...given.faults],
        had: [...given.had, name],
      }),
    }));
}

/** Any story, with up to two of these troubles; with `STORY_ONLY=NAME` each story has that one alone. */
export function stories(troubles = TROUBLES, only = process.env.STORY_ONLY): fc.Arbitrary<Story> {
  const changes = troubles.filter(({ name }) => only === undefined || name === only).map(changeOf);
  const lengths = only === undefined ? { minLength: 0, maxLength: 2 } : { minLength: 1, maxLength: 1 };
  const some = fc.uniqueArray(fc.oneof(...changes), { ...lengths, selector: ({ name }) => name });
  return fc
    .tuple(ANY_CALM_STORY, some)
    .map(([calm, drawn]) => drawn.reduce((story, { change }) => change(story), calm));
}
