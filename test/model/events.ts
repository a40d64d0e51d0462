import { begin, end, loseJob } from "./service-in-world.ts";
import { type Instance, LATE_CREATE_S, type World } from "./world.ts";

/** Touched by a request; only what touches the same needs to be tried before it. */
export type Touches = "create" | "instances" | "list" | "destroy" | "github";

/** Something that happens by itself. */
export interface Event {
  name: string;
  happen: (world: World) => void;
}

/** The events right before a request. One that commutes with it waits: the worlds are equal. */
export function eventsBefore(world: World, touches: Touches): Event[] {
  if (touches === "create") return [];
  const machines = world.instances.flatMap((instance) => [
    ...progressOf(world, instance),
    ...(touches === "github" ? deathsOf(world, instance) : endsOf(world, instance)),
  ]);
  return touches === "list" ? [...machines, ...lateCreates(world)] : machines;
}

function progressOf(world: World, instance: Instance): Event[] {
  const runner = world.runners.find(({ n }) => n === instance.n);
  const to = (stage: Instance["stage"], also: (world: World) => void = () => {}) => [
    {
      name: `instance ${instance.id}: ${stage}`,
      happen: (at: World) => {
        for (const each of at.instances) if (each.id === instance.id) each.stage = stage;
        also(at);
      },
    },
  ];
  // Without a runner it can only give itself back, and nobody looks how far it has come.
  if (runner === undefined) return [];
  switch (instance.stage) {
    case "booting":
      return to("running");
    case "running":
      return to("online", (at) => setRunner(at, runner.id, "online"));
    case "online":
      return world.jobs.some(({ state }) => state === "queued") ? to("job", (at) => takeJob(at, runner.id)) : [];
    case "job":
      return to("done", (at) => loseJob(at, runner.id));
    default:
      return [];
  }
}

function setRunner(world: World, id: number, state: World["runners"][number]["state"]): void {
  for (const runner of world.runners) if (runner.id === id) runner.state = state;
}

function takeJob(world: World, id: number): void {
  setRunner(world, id, "busy");
  const next = world.jobs.find(({ state }) => state === "queued");
  if (next) Object.assign(next, { state: "running", runner: id });
}

/** A machine whose work is over, or whose runner is gone, gives itself back. */
function endsOf({ runners }: World, { id, n, stage }: Instance): Event[] {
  const isOver = stage === "done" || (stage !== "frozen" && !runners.some((runner) => runner.n === n));
  return isOver ? [{ name: `instance ${id} gives itself back`, happen: (at) => end(at, id) }] : [];
}

/** The machine's host freezes: nobody sees it end, GitHub misses its runner some time later. */
function deathsOf(world: World, { id, n, stage }: Instance): Event[] {
  const runner = world.runners.find((each) => each.n === n);
  if (stage === "frozen" && runner?.state === "busy")
    return [{ name: `GitHub misses the runner of ${id}`, happen: (at) => loseJob(at, runner.id) }];
  if (world.deaths === 0 || (stage !== "online" && stage !== "job")) return [];
  return [{ name: `instance ${id} freezes`, happen: (at) => freeze(at, id) }];
}

/** It bills on, and does nothing any more. */
export function freeze(world: World, id: number): void {
  world.deaths = 0;
  for (const instance of world.instances.filter((each) => each.id === id)) {
    instance.stage = "frozen";
    for (const runner of world.runners)
      if (runner.n === instance.n && runner.state === "online") runner.state = "offline";
  }
}

/** Later than this a create comes true after everything else, if at all. */
const LATEST_S = 90;

function lateCreates(world: World): Event[] {
  const soon = world.late.filter(({ askedAt }) => world.now <= askedAt + LATEST_S);
  return soon.map((late) => ({
    name: `create ${late.n} comes true`,
    happen: (at) => comeTrue(at, late.n),
  }));
}

/** A create that gave no answer is carried out after all. */
export function comeTrue(world: World, n: number): void {
  const late = world.late.find((each) => each.n === n);
  world.late = world.late.filter((each) => each !== late);
  if (late) begin(world, late, 0, world.now >= late.askedAt + LATE_CREATE_S);
}

/** Time has passed: machines that work and whose time is up are gone. */
export function passTime(world: World, now: number): void {
  world.now = now;
  for (const { deadline, id, stage } of [...world.instances]) if (deadline <= now && stage !== "frozen") end(world, id);
}
