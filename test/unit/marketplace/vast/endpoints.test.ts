import { expect, test } from "vitest";
import { ACCOUNT_ENDPOINTS as A } from "../../../../client/account-endpoints.ts";
import { ENDPOINTS as E } from "../../../../src/marketplace/vast/endpoints.ts";

// Routes and permissions are in test/contract/service-account.test.ts, what is asked again in service-faults.test.ts.

const CHANGES = [
  ...[E.createInstance, E.destroyInstance, A.createTemplate, A.editTemplate, A.editTemplateById, A.deleteTemplate],
  ...[A.removeTeamMember, A.createApiKey, A.deleteApiKey, A.resetApiKey],
];
test.each(CHANGES)("what rents, gives back or changes the account is sent once: $operation", ({ isRepeated }) => {
  expect(isRepeated).toBe(false);
});

test("today's edit sends all that the template says, and nothing that the service counts", () => {
  const old = { id: 31, hash_id: "4e17", name: "a", tag: "1", count_created: 5, creator_id: 7 };
  const { body } = A.editTemplateById.request(old, { tag: "2" });
  expect(JSON.parse(JSON.stringify(body))).toEqual({ id: 31, hash_id: "4e17", name: "a", tag: "2" });
});

test("a destruction waits less long for its answer than a read: a look says whether the instance is gone", () => {
  const [usual, least] = [E.getInstance.answersWithinMs, E.destroyInstance.answersWithinMs ?? Number.POSITIVE_INFINITY];
  expect(usual).toBeUndefined();
  // Two rounds of sixteen, at 3.5 s each, leave so much for an answer and a look in post's 210 s.
  expect(2 * (16 * 3.5 + least / 1000 + 30)).toBeLessThan(210);
});
