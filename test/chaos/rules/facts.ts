import { drawRun } from "../draw.ts";
import type { InstanceFacts, JobFacts, RunFacts, StageFacts } from "../run-facts.ts";

/** The label of every instance begins so. */
export const PREFIX = "ghr1.7.4711-1.abcdef";

/** An entry that ended well after a minute, but for what is said of it. */
export function stage(entry: StageFacts["entry"], more: Partial<StageFacts> = {}): StageFacts {
  const ended = { startedAt: 0, endedAt: 60_000, exitCode: 0, killed: undefined, overran: false };
  return { entry, ...ended, log: "", alive: [], ...more };
}

/** An instance that main knew and destroyed. */
export function instance(id: number, more: Partial<InstanceFacts> = {}): InstanceFacts {
  const money = { goneBy: "account", cost: 0.001, hourly: 0.3 } as const;
  const rest = { ...money, isKnown: true, overAt: undefined, deadline: 600_000 };
  return { id, label: `${PREFIX}.${id}.99`, createdAt: 10_000, visibleAt: 0, goneAt: 20_000, ...rest, ...more };
}

/** A job that did well on instance 1. */
export function job(name: string, more: Partial<JobFacts> = {}): JobFacts {
  return {
    name,
    shownAt: 0,
    listedAt: 0,
    startedAt: 12_000,
    endedAt: 15_000,
    conclusion: "success",
    instanceId: 1,
    ...more,
  };
}

/** A run without faults in which nothing was rented. */
export function facts(more: Partial<RunFacts>): RunFacts {
  const none = { service: [], github: [] };
  const { mainDeath: _, ...drawn } = drawRun(1, 1);
  const inputs = { ...drawn.inputs, hold: "true", machines: "1" };
  const calm = {
    faults: { main: none, post: none, sweep: none },
    machineFaults: [],
    machineDeaths: [],
    had: [],
    isHeavy: false,
  };
  const plan = { ...drawn, ...calm, inputs, jobs: [], offers: [] };
  const nothing = { sweeps: [], instances: [], jobs: [], overdue: [], breaches: [], hits: [] };
  const unseen = { machineDeaths: [], transcript: [] };
  return { plan, main: stage("main"), post: stage("post"), ...nothing, ...unseen, ...more };
}
