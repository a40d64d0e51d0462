import { FIRST_OFFER } from "./draw/draw-offers.ts";
import type { Entry, PlannedRun } from "./planned-run.ts";

/** A plan without one thing. `name` stays the same while others are left out. */
export interface Shorter {
  name: string;
  plan: PlannedRun;
}

/** A plan, shortened. */
export interface Shrunk<Broken> {
  plan: PlannedRun;
  /** The shortest plan's outcome; undefined: nothing could be left out. */
  broken: Broken | undefined;
  plays: number;
  /** False: `most` was reached before everything had been tried. */
  isShortest: boolean;
}

interface Shrinking<Broken> {
  /** Plays a plan; undefined: it does not break the rule. */
  play: (plan: PlannedRun) => Promise<Broken | undefined>;
  /** Plays in all. */
  most: number;
  /** Plays side by side. */
  atOnce: number;
}

/**
 * Leaves out one thing after the other, the biggest first, and keeps each plan that still breaks
 * the rule; again until nothing can be left
 * out. Of those that are played side by side the first in order counts, so how many there are
 * changes nothing.
 */
export async function shrink<Broken>(
  whole: PlannedRun,
  { play, most, atOnce }: Shrinking<Broken>,
): Promise<Shrunk<Broken>> {
  const shrunk: Shrunk<Broken> = { plan: whole, broken: undefined, plays: 0, isShortest: true };
  // Goes on as long as it helps: parts may lose their use once something else is gone.
  for (let hasChanged = true; hasChanged; ) {
    const needed = new Set<string>();
    hasChanged = false;
    for (let batch = nextBatch(shrunk.plan, needed, atOnce); batch.length > 0; ) {
      if (shrunk.plays + batch.length > most) return { ...shrunk, isShortest: false };
      const found = await playBatch(batch, needed, play);
      shrunk.plays += batch.length;
      if (found) Object.assign(shrunk, found);
      hasChanged ||= found !== undefined;
      batch = nextBatch(shrunk.plan, needed, atOnce);
    }
  }
  return shrunk;
}

function nextBatch(plan: PlannedRun, needed: ReadonlySet<string>, atOnce: number): Shorter[] {
  return shorter(plan)
    .filter(({ name }) => !needed.has(name))
    .slice(0, atOnce);
}

/** The first that still breaks the rule; what stands before it is needed. */
async function playBatch<Broken>(
  batch: readonly Shorter[],
  needed: Set<string>,
  play: Shrinking<Broken>["play"],
): Promise<{ plan: PlannedRun; broken: Broken } | undefined> {
  const results = await Promise.all(batch.map(({ plan }) => play(structuredClone(plan))));
  for (const [index, { name, plan }] of batch.entries()) {
    const broken = results[index];
    if (broken !== undefined) return { plan, broken };
    needed.add(name);
  }
  return undefined;
}

/** Every plan that lacks one thing of this one, the biggest things first. */
export function shorter(plan: PlannedRun): Shorter[] {
  const all = [...groups(plan), ...jobs(plan), ...singles(plan), ...offers(plan), ...inputs(plan)];
  const before = JSON.stringify(plan);
  return all.filter((each) => JSON.stringify(each.plan) !== before);
}

const NO_FAULTS = { service: [], github: [] };
const ENTRIES: readonly Entry[] = ["main", "post", "sweep"];

function groups(plan: PlannedRun): Shorter[] {
  const { faults } = plan;
  const left = (["mainDeath", "matrix", "rivals", "imageGb", "otherRunners"] as const).map((name): Shorter => {
    const { [name]: _, ...rest } = plan;
    return { name: `without ${name}`, plan: rest };
  });
  return [
    { name: "no faults", plan: { ...plan, faults: { main: NO_FAULTS, post: NO_FAULTS, sweep: NO_FAULTS } } },
    ...ENTRIES.map((entry) => ({
      name: `no faults of ${entry}`,
      plan: { ...plan, faults: { ...faults, [entry]: NO_FAULTS } },
    })),
    { name: "no faults of the machine's requests", plan: { ...plan, machineFaults: [] } },
    { name: "no deaths of machines", plan: { ...plan, machineDeaths: [] } },
    ...left,
    { name: "post runs", plan: { ...plan, post: "runs" } },
    { name: "a sweep comes", plan: { ...plan, without: "sweep" } },
    { name: "dialect", plan: { ...plan, dialect: "observed" } },
  ];
}

function jobs(plan: PlannedRun): Shorter[] {
  const withJobs = (left: PlannedRun["jobs"]): PlannedRun => {
    const { jobs: _, ...others } = plan.inputs;
    const isCounted = plan.inputs.jobs !== undefined;
    return { ...plan, jobs: left, inputs: isCounted ? { ...others, jobs: String(Math.max(1, left.length)) } : others };
  };
  return plan.jobs.flatMap((job) => {
    const { name, does, cancelledAfter, shownAfter } = job;
    const replaced = (by: PlannedRun["jobs"][number]) => withJobs(plan.jobs.map((each) => (each === job ? by : each)));
    return [
      ...(plan.jobs.length > 1
        ? [{ name: `no ${name}`, plan: withJobs(plan.jobs.filter((each) => each !== job)) }]
        : []),
      {
        name: `${name} is not cancelled`,
        plan: replaced({ name, does, ...(shownAfter !== undefined && { shownAfter }) }),
      },
      {
        name: `${name} is there from the start`,
        plan: replaced({ name, does, ...(cancelledAfter !== undefined && { cancelledAfter }) }),
      },
      { name: `${name} is short`, plan: replaced({ ...job, does: "short" }) },
    ];
  });
}

/** One fault or one death of a machine less. */
function singles(plan: PlannedRun): Shorter[] {
  const { faults, machineFaults, machineDeaths } = plan;
  return [
    ...ENTRIES.flatMap((entry) =>
      (["service", "github"] as const).flatMap((side) =>
        oneLess<unknown>(faults[entry][side]).map(({ name, left }) => ({
          name: `${entry} ${side} ${name}`,
          plan: { ...plan, faults: { ...faults, [entry]: { ...faults[entry], [side]: left } } },
        })),
      ),
    ),
    ...oneLess(machineFaults).map(({ name, left }) => ({
      name: `machine fault ${name}`,
      plan: { ...plan, machineFaults: left },
    })),
    ...oneLess(machineDeaths).map(({ name, left }) => ({
      name: `machine death ${name}`,
      plan: { ...plan, machineDeaths: left },
    })),
  ];
}

function oneLess<Thing>(things: readonly Thing[]): { name: string; left: Thing[] }[] {
  return things.map((thing) => ({ name: JSON.stringify(thing), left: things.filter((each) => each !== thing) }));
}

const GOOD = {
  statuses: [
    { after: 0, actual_status: "loading" },
    { after: 5, actual_status: "running" },
  ],
};

/** One offer of ours less, or a plain good machine behind it. */
function offers(plan: PlannedRun): Shorter[] {
  const isOurs = ({ id }: { id: number }) => id >= FIRST_OFFER;
  const ours = plan.offers.filter(isOurs);
  const some = ours.slice(0, Math.ceil(ours.length / 2));
  return [
    {
      name: "all offers are good",
      plan: { ...plan, offers: plan.offers.map((each) => (isOurs(each) ? { ...each, simulate: GOOD } : each)) },
    },
    {
      name: `only ${some.length} offers`,
      plan: { ...plan, offers: plan.offers.filter((each) => !isOurs(each) || some.includes(each)) },
    },
    ...(ours.length > 1
      ? ours.map(({ id }) => ({
          name: `no offer ${id}`,
          plan: { ...plan, offers: plan.offers.filter((each) => each.id !== id) },
        }))
      : []),
    ...ours.map(({ id }) => ({
      name: `offer ${id} is good`,
      plan: { ...plan, offers: plan.offers.map((each) => (each.id === id ? { ...each, simulate: GOOD } : each)) },
    })),
  ];
}

/** As they are without a fleet; those of time stay, or it would take longer. */
function inputs(plan: PlannedRun): Shorter[] {
  const plain = { hedge: "false", machines: "1", "jobs-per-machine": "1", order: "price", hold: "true" };
  const given = Object.entries(plain).filter(([name]) => name in plan.inputs);
  const { env: _, jobs: __, ...others } = plan.inputs;
  const { "max-cost": ___, ...unpaid } = plan.inputs;
  const { "keep-failed": ____, ...unkept } = plan.inputs;
  return [
    { name: "no max-cost", plan: { ...plan, inputs: unpaid } },
    { name: "no keep-failed", plan: { ...plan, inputs: unkept } },
    ...given.map(([name, value]) => ({
      name: `${name}: ${value}`,
      plan: { ...plan, inputs: { ...plan.inputs, [name]: value } },
    })),
    { name: "no env, and jobs: auto", plan: { ...plan, inputs: others } },
  ];
}
