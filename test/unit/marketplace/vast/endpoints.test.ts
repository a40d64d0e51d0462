import { expect, test } from "vitest";
import { ACCOUNT_ENDPOINTS as A } from "../../../../client/account-endpoints.ts";
import { ENDPOINTS as E } from "../../../../src/marketplace/vast/endpoints.ts";
import { aConfig } from "../../support/an-instance-config.ts";

const CONFIG = aConfig();
const TEMPLATE = { name: "a", image: "b", docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
const CONTROL = { type: "on-demand", order: [["dph_total", "asc"]], limit: 64 } as const;
const DAEMON = { id: 7, tail: 20, log: "daemon" } as const;
const SAYS = { id: 31, hash_id: "4e17", name: "a", tag: "1" };
/** With what the service counts, which nobody may send. */
const OLD = { ...SAYS, count_created: 5, creator_id: 7 };
const QUERY = { filters: { num_gpus: { eq: 1 } }, ...CONTROL };

test.each([
  ["search offers", E.searchOffers, E.searchOffers.request(QUERY), "POST /api/v0/bundles/", "misc"],
  ["create instance", E.createInstance, E.createInstance.request(11, CONFIG), "PUT /api/v0/asks/11/", "instance_write"],
  ["list instances", E.listInstancesSeed, E.listInstancesSeed.request(), "GET /api/v0/instances/", "instance_read"],
  ["get one instance", E.getInstance, E.getInstance.request(7), "GET /api/v0/instances/7/", "instance_read"],
  [
    "destroy an instance",
    E.destroyInstance,
    E.destroyInstance.request(7),
    "DELETE /api/v0/instances/7/",
    "instance_write",
  ],
  ["current user", E.currentUser, E.currentUser.request(), "GET /api/v0/users/current/", "user_read"],
  ["search templates", E.searchTemplates, E.searchTemplates.request({}), "GET /api/v0/template/", "user_read"],
  ["create template", A.createTemplate, A.createTemplate.request(TEMPLATE), "POST /api/v0/template/", "user_write"],
  ["edit template", A.editTemplate, A.editTemplate.request("4e17", {}), "PUT /api/v0/template/", "user_write"],
  ["delete template", A.deleteTemplate, A.deleteTemplate.request(31), "DELETE /api/v0/template/", "user_write"],
  [
    "remove team member",
    A.removeTeamMember,
    A.removeTeamMember.request(7),
    "DELETE /api/v0/team/members/7",
    "team_write",
  ],
])("%s is what the specification has", (operation, endpoint, { method, path }, route, permission) => {
  expect(endpoint).toMatchObject({ operation, permission });
  expect(`${method} ${path}`).toBe(route);
});

const CHANGES = [
  ...[E.createInstance, E.destroyInstance, A.createTemplate, A.editTemplate, A.editTemplateById, A.deleteTemplate],
  ...[A.removeTeamMember, A.createApiKey, A.deleteApiKey, A.resetApiKey],
];
// What reads is sent again: test/contract/service-faults.test.ts.
test.each(CHANGES)("what rents, gives back or changes the account is sent once: $operation", ({ isRepeated }) => {
  expect(isRepeated).toBe(false);
});

test.each([
  ["a search is one object", E.searchOffers.request(QUERY), { num_gpus: { eq: 1 }, ...CONTROL }],
  ["a create is the configuration alone", E.createInstance.request(11, CONFIG), CONFIG],
  ["the daemon's log", E.requestLogs.request(DAEMON), { tail: "20", daemon_logs: "true" }],
  ["a template is deleted by number", A.deleteTemplate.request(31), { template_id: 31 }],
  ["or by hash", A.deleteTemplate.request("4e17"), { hash_id: "4e17" }],
  ["an edit has changes alone", A.editTemplate.request("4e17", { tag: "2" }), { hash_id: "4e17", tag: "2" }],
  ["today's edit has all that the template says", A.editTemplateById.request(OLD, { tag: "2" }), { ...SAYS, tag: "2" }],
])("%s", (_what, { body }, expected) => {
  expect(JSON.parse(JSON.stringify(body))).toEqual(expected);
});

test("templates are searched by filters as JSON, and logs of an instance by its id", () => {
  expect(E.searchTemplates.request({ name: { eq: "a" } }).query).toEqual({ select_filters: '{"name":{"eq":"a"}}' });
  expect(E.requestLogs.request(DAEMON).path).toBe("/api/v0/instances/request_logs/7/");
});

test("a destruction waits less long for its answer than a read: a look says whether the instance is gone", () => {
  const [usual, least] = [E.getInstance.answersWithinMs, E.destroyInstance.answersWithinMs ?? Number.POSITIVE_INFINITY];
  expect(usual).toBeUndefined();
  // Two rounds of sixteen, at 3.5 s each, leave so much for an answer and a look in post's 210 s.
  expect(2 * (16 * 3.5 + least / 1000 + 30)).toBeLessThan(210);
});
