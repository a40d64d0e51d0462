import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeReadiness, type ReadinessFacts } from "../../src/fleet/judge-readiness.ts";
import { secretHider } from "../../src/machine/hide-secrets.ts";
import { type InstanceVerdict, judgeInstance } from "../../src/machine/judge-instance.ts";
import { instanceSchema } from "../../src/service/schemas/instance.ts";
import { hostileJson, hostileText, MEGABYTES } from "./support/hostile.ts";
import { isPlainLine } from "./support/readings.ts";

const MINUTE = 60_000;
const LIMITS = {
  bootMs: 10 * MINUTE,
  onlineMs: 5 * MINUTE,
  readyMs: 25 * MINUTE,
  lifetimeMs: 120 * MINUTE,
  idleMs: 5 * MINUTE,
};
const CREATED = Date.UTC(2026, 0, 1);
const later = fc.integer({ min: 0, max: 60 * MINUTE });
const verdict: fc.Arbitrary<InstanceVerdict | undefined> = fc.option(
  hostileJson("actual_status", "intended_status", "cur_state", "status_msg").map((row) =>
    judgeInstance(instanceSchema.parse({ ...(typeof row === "object" ? row : {}), id: 7 })),
  ),
  { nil: undefined },
);
const facts: fc.Arbitrary<ReadinessFacts> = fc
  .record({
    after: later,
    minted: fc.option(later, { nil: undefined }),
    running: fc.option(later, { nil: undefined }),
    instance: verdict,
    wasSeen: fc.boolean(),
    runner: fc.constantFrom("online" as const, "offline" as const, "gone" as const, "unknown" as const),
  })
  .map(({ after, minted, running, ...rest }) => ({
    ...rest,
    now: CREATED + after,
    createdAt: CREATED,
    mintedAt: minted === undefined ? undefined : CREATED - minted,
    runningAt: running === undefined || running > after ? undefined : CREATED + running,
    readyBy: CREATED + LIMITS.readyMs,
  }));

test("a machine whose runner is online is ready, whatever the service says of it; and only then", () => {
  fc.assert(
    fc.property(facts, (seen) => {
      expect(judgeReadiness(seen, LIMITS).kind === "ready").toBe(seen.runner === "online");
    }),
    { numRuns: 1000 },
  );
});

test("a machine is given up for a sign or for a time that is over, never for a doubt, and why is one plain line", () => {
  fc.assert(
    fc.property(facts, (seen) => {
      const judged = judgeReadiness(seen, LIMITS);
      if (judged.kind !== "failed") return;
      expect(isPlainLine(judged.why)).toBe(true);
      const age = seen.now - seen.createdAt;
      const isGone = seen.instance === undefined && (seen.wasSeen || age > MINUTE);
      const isLate = age >= LIMITS.onlineMs;
      expect(isGone || seen.instance?.kind === "failed" || seen.runner === "gone" || isLate).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("while GitHub can't be asked, a container that runs is never given up for its time", () => {
  fc.assert(
    fc.property(facts, (given) => {
      const seen = {
        ...given,
        runner: "unknown",
        instance: { kind: "running", status: "running" },
        runningAt: CREATED,
      } as const;
      expect(judgeReadiness(seen, LIMITS).kind).toBe("pending");
    }),
  );
});

test("what a machine prints is shown without the values of its environment", () => {
  const env = fc.dictionary(fc.stringMatching(/^[A-Z][A-Z_]{0,9}$/), hostileText, { minKeys: 1, maxKeys: 4 });
  fc.assert(
    fc.property(env, hostileText, hostileText, (variables, before, after) => {
      const hide = secretHider(variables);
      for (const value of Object.values(variables)) {
        const lines = value
          .split(/\r?\n/)
          .map((line) => line.trim())
          .filter((line) => line.length >= 8);
        const hidden = hide(`${before} ${value} ${after}`);
        expect(
          lines.filter((line) => !"[]ABCDEFGHIJKLMNOPQRSTUVWXYZ_".includes(line) && hidden.includes(line)),
        ).toEqual([]);
      }
    }),
    { numRuns: 1000 },
  );
});

test("a megabyte of anything is judged and hidden in no time", () => {
  const hide = secretHider({ SECRET_KEY: "abcdefghijkl" });
  for (const [name, text] of MEGABYTES) {
    const judged = judgeInstance(instanceSchema.parse({ id: 7, status_msg: text, actual_status: text }));
    expect(isPlainLine(JSON.stringify(judged)), name).toBe(true);
    expect(hide(`${text} abcdefghijkl`), name).not.toContain("abcdefghijkl");
  }
});
