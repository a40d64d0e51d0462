import { expect, test } from "vitest";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import { withRetry } from "../../../src/shared/retry.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";

/** Work that fails so often, with this error, and the moments at which it was tried. */
function failing(times: number, error: Error) {
  const clock = new HandWoundClock();
  const at: number[] = [];
  const work = async () => {
    at.push(clock.elapsed);
    if (at.length <= times) throw error;
    return "done";
  };
  const run = (until?: number) => clock.run(withRetry(work, { clock, until: until && clock.start + until }));
  return { at, run };
}

test("a fault that may pass is tried again after 2, 5 and 10 s, then it is the error", async () => {
  const fault = new GithubUnavailableError("list the jobs", "502");
  const passing = failing(3, fault);
  expect(await passing.run()).toBe("done");
  expect(passing.at).toEqual([0, 2000, 7000, 17_000]);
  await expect(failing(4, fault).run()).rejects.toBe(fault);
});

test("a longer wait is kept, up to 10 minutes where no limit is given", async () => {
  const asks = (seconds: number) =>
    failing(1, new GithubUnavailableError("list the jobs", "429", { waitMs: seconds * 1000 }));
  const soon = asks(400);
  await soon.run();
  expect(soon.at).toEqual([0, 400_000]);
  const late = asks(600);
  await expect(late.run()).rejects.toBeInstanceOf(GithubUnavailableError);
  expect(late.at).toEqual([0]);
});
