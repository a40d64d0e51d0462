import { expect, test } from "vitest";
import { gpuJob, RENT_JOB, startSession } from "../support/simulated-session.ts";

const deep = (letters: number) => "[".repeat(letters);

test("lists nested millions deep, or of 33 MB, delay a run and do not end it", async () => {
  const listed = (nth: number, text: string) => ({ operation: "listInstances", kind: "text", nth, text }) as const;
  await using session = await startSession({
    factor: 5,
    jobs: [RENT_JOB, gpuJob(["sleep 60"])],
    scenario: { faults: [listed(2, deep(20_000_000)), listed(3, `{"instances": "${"x".repeat(33_000_000)}"}`)] },
  });
  session.sim.github.setFaults([{ operation: "listJobs", kind: "text", nth: 2, text: deep(3_000_000) }]);
  const main = await session.step.mainSucceeds();
  expect(main.log.match(/The service gave no usable answer; asking again\. .*/g)).toEqual([]);
  await session.endClean();
});
