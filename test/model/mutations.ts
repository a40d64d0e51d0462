import { NoAnswerError } from "../../src/service/service-errors.ts";
import type { Mutation } from "./acts.ts";
import type { Invariant } from "./invariants.ts";

/** A change of one decision, made where the parts are put together, or in one module (`mutations.test.ts`). Never in a file. */
export interface Mutant {
  name: string;
  /** So many creates are enough to show it. */
  creates: number;
  mutation?: Mutation;
  /** What the exploration must find. */
  breaks: Invariant;
}

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
  { name: "label after create", creates: 1, mutation: labelAfterCreate, breaks: LEAKS },
  {
    name: "no pending entry",
    creates: 1,
    mutation: { ledger: (ledger) => ({ ...ledger, pending() {} }) },
    breaks: "a create is written down before it leaves",
  },
  {
    name: "create is sent again after no answer",
    creates: 1,
    mutation: createSentAgain,
    breaks: "no other create leaves while one is uncertain",
  },
  { name: "post does not look at the list", creates: 1, mutation: postWithoutList, breaks: LEAKS },
  { name: "no look after pending", creates: 1, breaks: LEAKS },
  { name: "prefix compared without the dot", creates: 1, breaks: NOT_OURS },
  { name: "404 right after create means gone", creates: 1, breaks: LEAKS },
  { name: "destroy before delete-runner", creates: 1, breaks: "a machine with a running job is not destroyed" },
  { name: "next offer while uncertain", creates: 2, breaks: "no other create leaves while one is uncertain" },
  { name: "success: false is a success", creates: 2, breaks: "no more machines are alive than main believes" },
  { name: "sweep takes its own attempt's machines", creates: 0, breaks: NOT_OURS },
  { name: "sweep ignores the expiry", creates: 1, breaks: "nothing bills for ever" },
  { name: "sweep takes a doubt for the end of a run", creates: 0, breaks: NOT_OURS },
] as const satisfies readonly Mutant[];

export type MutantName = (typeof MUTANTS)[number]["name"];
