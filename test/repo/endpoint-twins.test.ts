import { expect, test } from "vitest";
import { ACCOUNT_ENDPOINTS } from "../../client/account-endpoints.ts";
import { ACCOUNT_OPERATIONS } from "../../simulator/service/operations/account.ts";
import { INSTANCE_OPERATIONS } from "../../simulator/service/operations/instances.ts";
import { KEY_OPERATIONS } from "../../simulator/service/operations/keys.ts";
import { MARKET_OPERATIONS } from "../../simulator/service/operations/market.ts";
import { ENDPOINTS, type ServiceRequest } from "../../src/marketplace/vast/endpoints.ts";
import { textOf } from "./support/repository.ts";

/** Two forms of one operation have its name, and a word more. */
const FORMS = /(Seed|ById)$/;

test("every operation of the client has its twin in the simulator, under the same name", () => {
  const parts = [ACCOUNT_OPERATIONS, INSTANCE_OPERATIONS, KEY_OPERATIONS, MARKET_OPERATIONS];
  const twins = parts.flatMap((part) => Object.values(part).flatMap((forms) => Object.keys(forms)));
  const ours = Object.keys({ ...ENDPOINTS, ...ACCOUNT_ENDPOINTS }).map((name) => name.replace(FORMS, ""));
  expect(ours.length).toBeGreaterThan(20);
  expect(ours.filter((name) => !twins.includes(name))).toEqual([]);
});

test("what is known of the official client has the quota of searches, and every path that renting asks for", () => {
  const { endpoints, headers } = JSON.parse(textOf("test/clients/known-of-client.json"));
  expect(headers).toContain("x-ratelimit-reset");
  const pathOf = (text: string) => text.replace(/^[A-Z]+ |\/api\/v0|\/$/g, "");
  const known = endpoints.map(pathOf);
  const ours = Object.values(ENDPOINTS).map(({ request }) => {
    const { path } = (request as (...args: unknown[]) => ServiceRequest)(7, { id: 7 });
    return pathOf(path).replace(/\b(?:7|undefined)\b/g, "{}");
  });
  expect(ours.filter((each) => !known.includes(each))).toEqual([]);
});
