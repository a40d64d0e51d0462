import { basename } from "node:path";
import { expect, test } from "vitest";
import { filesIn } from "./support/repository.ts";

test("every operation of the client has its twin in the simulator, under the same name", () => {
  const names = (folder: string) => filesIn(folder, ".ts").map((file) => basename(file));
  const twins = names("simulator/service/operations");
  const ours = names("src/vast/endpoints");
  expect(ours.length).toBeGreaterThan(5);
  expect(ours.filter((name) => !twins.includes(name))).toEqual([]);
});
