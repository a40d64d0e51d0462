import { expect, test } from "vitest";
import { ACCOUNT_ENDPOINTS } from "../../client/account-endpoints.ts";
import { ENDPOINTS } from "../../src/marketplace/vast/endpoints.ts";
import { filesIn, textOf } from "./support/repository.ts";

/** Two forms of one operation have its name, and a word more. */
const FORMS = /(Seed|ById)$/;

test("every operation of the client has its twin in the simulator, under the same name", () => {
  const text = filesIn("simulator/service/operations", ".ts").map(textOf).join("\n");
  const twins = [...text.matchAll(/^export const (\w+): Operation = /gm)].map(([, name]) => name);
  const ours = Object.keys({ ...ENDPOINTS, ...ACCOUNT_ENDPOINTS }).map((name) => name.replace(FORMS, ""));
  expect(ours.length).toBeGreaterThan(20);
  expect(ours.filter((name) => !twins.includes(name))).toEqual([]);
});
