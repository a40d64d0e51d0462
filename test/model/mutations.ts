import { NoAnswerError } from "../../src/marketplace/errors.ts";
import type { Mutation } from "./acts.ts";
import type { Invariant } from "./invariants.ts";
import type { Size } from "./world.ts";

/** A change of one decision where the parts meet, or in one module (`mutations.test.ts`). */
export interface Mutant {
  name: string;
  /** So much is enough to show it. */
  size: Size;
  mutation?: Mutation;
  /** Must be found by the exploration. */
  breaks: Invariant;
}

const NONE: Size = { creates: 0, jobs: 1, machines: 1 };
const ONE: Size = { creates: 1, jobs: 1, machines: 1 };
const TWO: Size = { creates: 2, jobs: 1, machines: 1, deaths: 0 };
/** With a death, and no fault; with a fault, and no death. */
const MORTAL: Size = { ...ONE, faults: 0 };
const FAULTY: Size = { ...ONE, deaths: 0 };
const CALM: Size = { creates: 1, jobs: 1, machines: 1, faults: 0, deaths: 0 };
const WORKS = "a machine with a running job is not destroyed";
const UNCERTAIN = "no other create leaves while one is uncertain";
const MANY = "no more machines are alive than asked for";
const WAITS = "post waits for a create that may still come true";
const LEAKS = "nothing bills after post, or post names it";
const NOT_OURS = "what is not ours is not destroyed";

/** The label is given to the instance by a second request. */
const labelAfterCreate: Mutation = {
  service(service, turns) {
    const create = service.createInstance.bind(service);
    service.createInstance = async (offerId, { label, ...config }, signals) => {
      const answer = await create(offerId, config as typeof config & { label: string }, signals);
      const made = turns.world.instances.at(-1);
      const serve = () => Object.assign(made ?? {}, { label });
      await turns.ask({ name: "label it", touches: "create", faults: [], serve }, signals?.way);
      return answer;
    };
    return service;
  },
};

const createSentAgain: Mutation = {
  service(service) {
    const create = service.createInstance.bind(service);
    service.createInstance = (...given) =>
      create(...given).catch((error: unknown) => {
        if (error instanceof NoAnswerError) return create(...given);
        throw error;
      });
    return service;
  },
};

const postWithoutList: Mutation = {
  service(service, { world }) {
    if (world.actor === "post") service.listInstances = async () => [];
    return service;
  },
};

/** All of them; those without `mutation` change a module. */
export const MUTANTS = [
  { name: "label after create", size: MORTAL, mutation: labelAfterCreate, breaks: LEAKS },
  {
    name: "no pending entry",
    size: CALM,
    mutation: { ledger: (ledger) => ({ ...ledger, pending() {} }) },
    breaks: "a create is written down before it leaves",
  },
  {
    name: "create is sent again after no answer",
    size: FAULTY,
    mutation: createSentAgain,
    breaks: UNCERTAIN,
  },
  { name: "post does not look at the list", size: MORTAL, mutation: postWithoutList, breaks: LEAKS },
  { name: "no look after pending", size: MORTAL, breaks: WAITS },
  { name: "prefix compared without the dot", size: CALM, breaks: NOT_OURS },
  { name: "404 right after create means gone", size: ONE, breaks: LEAKS },
  { name: "destroy before delete-runner", size: ONE, breaks: "a machine with a running job is not destroyed" },
  { name: "next offer while uncertain", size: TWO, breaks: UNCERTAIN },
  { name: "success: false is a success", size: TWO, breaks: "no more machines are alive than asked for" },
  { name: "plan: one look is enough", size: FAULTY, breaks: WORKS },
  { name: "plan: what nobody needs is destroyed unasked", size: CALM, breaks: WORKS },
  { name: "plan: machines that are given up don't count", size: TWO, breaks: MANY },
  { name: "plan: a deadline that is not over is one", size: CALM, breaks: WORKS },
  { name: "sweep takes its own attempt's machines", size: NONE, breaks: NOT_OURS },
  { name: "sweep ignores the expiry", size: ONE, breaks: "nothing bills for ever" },
  { name: "sweep takes a doubt for the end of a run", size: NONE, breaks: NOT_OURS },
] as const satisfies readonly Mutant[];

export type MutantName = (typeof MUTANTS)[number]["name"];
