import { beforeAll, expect, test, vi } from "vitest";
import { everyInterleaving } from "./every-interleaving.ts";
import { MUTANTS, type Mutant, type MutantName } from "./mutations.ts";

/** The mutant that the modules below play, if it is one of theirs. */
const present = vi.hoisted((): { name: string } => ({ name: "" }));
const is = vi.hoisted(() => (name: MutantName) => present.name === name);

// The one place with vi.mock: a decision changes for all callers, and no port leads to it.
vi.mock("../../src/create/label.ts", async (original) => {
  const real = await original<typeof import("../../src/create/label.ts")>();
  return {
    ...real,
    hasPrefix: (label: string | undefined, prefix: string) =>
      is("prefix compared without the dot") ? (label?.startsWith(prefix) ?? false) : real.hasPrefix(label, prefix),
  };
});

vi.mock("../../src/teardown/destroy-session.ts", async (original) => {
  const real = await original<typeof import("../../src/teardown/destroy-session.ts")>();
  return {
    remainsOf(...[ledger]: Parameters<typeof real.remainsOf>) {
      const remains = real.remainsOf(ledger);
      return remains && is("no look after pending") ? { ...remains, isUncertain: false } : remains;
    },
  };
});

vi.mock("../../src/shared/poll.ts", async (original) => {
  const real = await original<typeof import("../../src/shared/poll.ts")>();
  return {
    ...real,
    // Of main alone: post, which looks for the same creates, has no signal.
    lookAt: async (...given: Parameters<typeof real.lookAt>) =>
      is("next offer while uncertain") && given[2].signal ? undefined : await real.lookAt(...given),
  };
});

vi.mock("../../src/fleet/give-back.ts", async (original) => {
  const real = await original<typeof import("../../src/fleet/give-back.ts")>();
  return {
    ...real,
    giveUp: (...[acting, machine]: Parameters<typeof real.giveUp>) =>
      is("destroy before delete-runner") ? real.destroy(acting, machine) : real.giveUp(acting, machine),
  };
});

vi.mock("../../src/fleet/plan/plan.ts", async (original) => {
  const real = await original<typeof import("../../src/fleet/plan/plan.ts")>();
  const LONG_AGO = -1e15;
  return {
    plan(...[fleet, policy, now]: Parameters<typeof real.plan>) {
      const decided = real.plan(fleet, policy, now);
      if (is("plan: one look is enough")) {
        const doubts = Object.fromEntries(Object.keys(decided.doubts).map((key) => [key, LONG_AGO]));
        return real.plan({ ...fleet, doubts }, policy, now);
      }
      if (is("plan: what nobody needs is destroyed unasked"))
        return {
          ...decided,
          acts: decided.acts.map((act) => (act.do === "give-up" ? { ...act, do: "destroy" as const } : act)),
        };
      if (is("plan: machines that are given up don't count")) {
        const machines = fleet.machines.filter(({ ending }) => ending === undefined);
        const creates = real.plan({ ...fleet, machines }, policy, now).acts.filter((act) => act.do === "create");
        return { ...decided, acts: [...decided.acts.filter((act) => act.do !== "create"), ...creates] };
      }
      if (is("plan: a deadline that is not over is one")) {
        const machines = fleet.machines.map((machine) => ({ ...machine, deadline: machine.deadline - 30_000 }));
        return real.plan({ ...fleet, machines }, policy, now);
      }
      return decided;
    },
  };
});

vi.mock("../../src/create/destroy.ts", async (original) => {
  const real = await original<typeof import("../../src/create/destroy.ts")>();
  return {
    async destroyInstance(...[destroying, doomed]: Parameters<typeof real.destroyInstance>) {
      if (is("404 right after create means gone"))
        return await real.destroyInstance(destroying, { ...doomed, createdAt: 0 });
      if (!is("success: false is a success")) return await real.destroyInstance(destroying, doomed);
      await destroying.service.destroy(doomed.id, destroying.signal);
      return "destroyed" as const;
    },
  };
});

vi.mock("../../src/vast/refusals.ts", async (original) => {
  const real = await original<typeof import("../../src/vast/refusals.ts")>();
  return {
    ...real,
    saysNo: (...given: Parameters<typeof real.saysNo>) => !is("success: false is a success") && real.saysNo(...given),
  };
});

vi.mock("../../src/sweep/leftovers.ts", async (original) => {
  const real = await original<typeof import("../../src/sweep/leftovers.ts")>();
  return {
    ...real,
    judgeLeftover(...[label, evidence]: Parameters<typeof real.judgeLeftover>) {
      const { sweeper } = evidence;
      if (is("sweep takes its own attempt's machines"))
        return real.judgeLeftover(label, { ...evidence, sweeper: { ...sweeper, attempt: 99 } });
      if (is("sweep ignores the expiry"))
        return real.judgeLeftover({ ...label, expiry: Number.MAX_SAFE_INTEGER }, evidence);
      if (is("sweep takes a doubt for the end of a run") && evidence.state?.kind === "unknown")
        return real.judgeLeftover(label, { ...evidence, state: { kind: "completed", since: 0 } });
      return real.judgeLeftover(label, evidence);
    },
  };
});

beforeAll(() => {
  Error.stackTraceLimit = 0;
  vi.spyOn(Math, "random").mockReturnValue(0);
});

// Two creates take minutes: asked for by hand.
const isAsked = process.env.MODEL_MUTANTS !== undefined;
const played: readonly Mutant[] = MUTANTS.filter(({ size }) => isAsked || size.creates < 2);

test.each<Mutant>(played)("$name: is caught", async ({ breaks, size, mutation, name }) => {
  present.name = name;
  const { broken } = await everyInterleaving(size, mutation);
  expect(broken.map(({ invariant }) => invariant)).toContain(breaks);
});

test("without a mutant the same small worlds are clean", async () => {
  present.name = "";
  expect((await everyInterleaving({ creates: 1, jobs: 1, machines: 1 })).broken).toEqual([]);
});
