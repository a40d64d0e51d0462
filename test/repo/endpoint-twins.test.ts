import { basename } from "node:path";
import { expect, test } from "vitest";
import { ACCOUNT_ENDPOINTS } from "../../src/vast/account-endpoints.ts";
import { ENDPOINTS } from "../../src/vast/endpoints.ts";
import { filesIn } from "./support/repository.ts";

/** Two forms of one operation have its name, and a word more. */
const FORMS = /(Seed|ById)$/;

test("every operation of the client has its twin in the simulator, under the same name", () => {
  const twins = filesIn("simulator/service/operations", ".ts").map((file) => basename(file, ".ts"));
  const ours = Object.keys({ ...ENDPOINTS, ...ACCOUNT_ENDPOINTS }).map((name) =>
    name.replace(FORMS, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
  expect(ours.length).toBeGreaterThan(20);
  expect(ours.filter((name) => !twins.includes(name))).toEqual([]);
});
