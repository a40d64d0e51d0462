import { expect, test } from "vitest";
import { drawRun } from "./draw.ts";
import { pastedTest } from "./pasted-test.ts";

test("the test that is printed plays the very same plan, and expects that no rule is broken", async () => {
  for (let index = 0; index < 40; index += 1) {
    const plan = drawRun(9, index);
    const text = pastedTest({ plan, texts: ['main says "no", and `there` is instance 1.'] });
    const body = text.replace(/^import .*$/gm, "").replace(/^const \{.*$/gm, "");
    let played: unknown;
    let expected: unknown;
    const names = ["test", "expect", "playPlan"] as const;
    const run = new Function(...names, body);
    const running: Promise<void>[] = [];
    run(
      (_name: string, options: { timeout: number }, story: () => Promise<void>) => {
        expect(options.timeout).toBeGreaterThan(60_000);
        running.push(story());
      },
      (value: unknown) => ({ toEqual: (other: unknown) => (expected = [value, other]) }),
      async (given: unknown) => {
        played = given;
        return ["broken"];
      },
    );
    await Promise.all(running);
    expect(JSON.parse(JSON.stringify(played))).toEqual(JSON.parse(JSON.stringify(plan)));
    expect(expected).toEqual([["broken"], []]);
  }
});
