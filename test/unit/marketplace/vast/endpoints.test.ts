import { describe, expect, test } from "vitest";
import { ACCOUNT_ENDPOINTS } from "../../../../client/account-endpoints.ts";
import { ENDPOINTS } from "../../../../src/marketplace/vast/endpoints.ts";
import { aConfig } from "../../support/an-instance-config.ts";

const {
  createApiKey,
  createTemplate,
  deleteApiKey,
  deleteTemplate,
  editTemplate,
  editTemplateById,
  removeTeamMember,
  resetApiKey,
} = ACCOUNT_ENDPOINTS;
const {
  createInstance,
  currentUser,
  destroyInstance,
  getInstance,
  listInstances,
  listInstancesSeed,
  requestLogs,
  searchOffers,
  searchTemplates,
} = ENDPOINTS;

const CONFIG = aConfig();
const TEMPLATE = { name: "a", image: "b", docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
const QUERY = {
  filters: { num_gpus: { eq: 1 } },
  type: "on-demand",
  order: [["dph_total", "asc"]],
  limit: 64,
} as const;

describe("each operation as the specification has it", () => {
  test.each([
    ["search offers", searchOffers, searchOffers.request(QUERY), "POST", "/api/v0/bundles/", "misc"],
    [
      "create instance",
      createInstance,
      createInstance.request(11, CONFIG),
      "PUT",
      "/api/v0/asks/11/",
      "instance_write",
    ],
    ["list instances", listInstancesSeed, listInstancesSeed.request(), "GET", "/api/v0/instances/", "instance_read"],
    ["get one instance", getInstance, getInstance.request(7), "GET", "/api/v0/instances/7/", "instance_read"],
    [
      "destroy an instance",
      destroyInstance,
      destroyInstance.request(7),
      "DELETE",
      "/api/v0/instances/7/",
      "instance_write",
    ],
    [
      "request logs",
      requestLogs,
      requestLogs.request({ id: 7, tail: 20, log: "daemon" }),
      "PUT",
      "/api/v0/instances/request_logs/7/",
      "instance_read",
    ],
    ["current user", currentUser, currentUser.request(), "GET", "/api/v0/users/current/", "user_read"],
    ["search templates", searchTemplates, searchTemplates.request({}), "GET", "/api/v0/template/", "user_read"],
    ["create template", createTemplate, createTemplate.request(TEMPLATE), "POST", "/api/v0/template/", "user_write"],
    ["edit template", editTemplate, editTemplate.request("4e17", {}), "PUT", "/api/v0/template/", "user_write"],
    ["delete template", deleteTemplate, deleteTemplate.request(31), "DELETE", "/api/v0/template/", "user_write"],
    [
      "remove team member",
      removeTeamMember,
      removeTeamMember.request(7),
      "DELETE",
      "/api/v0/team/members/7",
      "team_write",
    ],
  ])("%s", (operation, endpoint, request, method, path, permission) => {
    expect({ ...endpoint, ...request }).toMatchObject({ operation, method, path, permission });
  });
});

describe("how often each may be sent again by itself", () => {
  test("what rents: never", () => {
    expect(createInstance.isRepeated).toBe(false);
  });

  test("what gives back: its caller decides", () => {
    expect(destroyInstance.isRepeated).toBe(false);
  });

  test.each([searchOffers, listInstances, listInstancesSeed, getInstance, currentUser])(
    "what only reads: $operation",
    ({ isRepeated }) => {
      expect(isRepeated).toBe(true);
    },
  );
});

test.each([
  createTemplate,
  editTemplate,
  editTemplateById,
  deleteTemplate,
  removeTeamMember,
  createApiKey,
  deleteApiKey,
  resetApiKey,
])("what changes the account is sent once: $operation", ({ isRepeated }) => {
  expect(isRepeated).toBe(false);
});

test("templates are searched by filters as JSON, and deleted by number or by hash", () => {
  expect(searchTemplates.request({ name: { eq: "a" } }).query).toEqual({ select_filters: '{"name":{"eq":"a"}}' });
  expect(deleteTemplate.request(31).body).toEqual({ template_id: 31 });
  expect(deleteTemplate.request("4e17").body).toEqual({ hash_id: "4e17" });
});

test("an edit sends the hash and the changes; today's all that the template says, and nothing that the service counts", () => {
  expect(editTemplate.request("4e17", { tag: "2" }).body).toEqual({ hash_id: "4e17", tag: "2" });
  const old = { id: 31, hash_id: "4e17", name: "a", tag: "1", count_created: 5, creator_id: 7 };
  const sent = JSON.parse(JSON.stringify(editTemplateById.request(old, { tag: "2" }).body));
  expect(sent).toEqual({ id: 31, hash_id: "4e17", name: "a", tag: "2" });
});

test("a search is one object: filters and control keys side by side", () => {
  expect(searchOffers.request(QUERY).body).toEqual({
    num_gpus: { eq: 1 },
    type: "on-demand",
    order: [["dph_total", "asc"]],
    limit: 64,
  });
});

test("a create is the configuration, and nothing else", () => {
  expect(createInstance.request(11, CONFIG).body).toEqual(CONFIG);
});

test("destroying has no body", () => {
  expect(destroyInstance.request(7).body).toBeUndefined();
});

test("the daemon's log is asked for by a word of its own; the number of lines is a text", () => {
  expect(requestLogs.request({ id: 7, tail: 20, log: "container" }).body).toEqual({ tail: "20" });
  expect(requestLogs.request({ id: 7, tail: 20, log: "daemon" }).body).toEqual({ tail: "20", daemon_logs: "true" });
});

test("a destruction waits less long for its answer than a read: a look says whether the instance is gone", () => {
  const [usual, least] = [getInstance.answersWithinMs, destroyInstance.answersWithinMs ?? Number.POSITIVE_INFINITY];
  expect(usual).toBeUndefined();
  // Two rounds of sixteen, at 3.5 s each, leave so much for an answer and a look in post's 210 s.
  expect(2 * (16 * 3.5 + least / 1000 + 30)).toBeLessThan(210);
});
