import { cloneOf, type Instance, LIFE_S, type World } from "./world.ts";

/**
 * The world in which post begins when main was killed or cancelled. Post may take every machine
 * then, and none of its answers tells how far one has come: each may go by itself, or not.
 */
export function withoutMain(world: World): World {
  const instances = world.instances.map((each): Instance => ({ ...each, stage: "done" }));
  return {
    ...world,
    actor: "post",
    mainEnd: "killed",
    deaths: 0,
    asked: [],
    runners: [],
    jobs: [],
    instances,
  };
}

/**
 * The world when nobody of this run acts any more. Of interest is what bills, and whether a job
 * runs on it; creates without an answer all come true.
 */
export function leftBy(world: World): World {
  const now = Math.max(world.now, world.downUntil);
  const hasJob = world.instances.some(({ stage }) => stage === "job");
  const bill = [...world.instances, ...world.late.map((late) => ({ ...late, stage: "done" as const }))];
  const instances = bill.map(
    ({ label, n, stage }, index): Instance => ({
      id: 701 + index,
      label,
      n,
      stage: stage === "job" ? "job" : "done",
      createdAt: now,
      hiddenUntil: now,
      deadline: now + LIFE_S,
      isVeryLate: false,
    }),
  );
  return {
    ...cloneOf(world),
    now,
    actor: "sweep",
    lastId: 700 + instances.length,
    instances,
    late: [],
    runners: [],
    jobs: hasJob ? [{ state: "running", runner: undefined }] : [],
    written: { runners: [], pending: [], created: [], reports: [] },
    asked: [],
    mainEnd: undefined,
    deaths: 0,
  };
}
