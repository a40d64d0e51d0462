import { describe, expect, test } from "vitest";
import { ACCOUNT_ENDPOINTS } from "../../../src/vast/account-endpoints.ts";
import { ENDPOINTS } from "../../../src/vast/endpoints.ts";
import { aConfig } from "../support/an-instance-config.ts";

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
    ["search offers", searchOffers, searchOffers.path(QUERY), "POST", "/api/v0/bundles/", "misc"],
    [
      "create instance",
      createInstance,
      createInstance.path({ offerId: 11, config: CONFIG }),
      "PUT",
      "/api/v0/asks/11/",
      "instance_write",
    ],
    [
      "list instances",
      listInstancesSeed,
      listInstancesSeed.path(undefined),
      "GET",
      "/api/v0/instances/",
      "instance_read",
    ],
    ["get one instance", getInstance, getInstance.path(7), "GET", "/api/v0/instances/7/", "instance_read"],
    [
      "destroy an instance",
      destroyInstance,
      destroyInstance.path(7),
      "DELETE",
      "/api/v0/instances/7/",
      "instance_write",
    ],
    [
      "request logs",
      requestLogs,
      requestLogs.path({ id: 7, tail: 20, log: "daemon" }),
      "PUT",
      "/api/v0/instances/request_logs/7/",
      "instance_read",
    ],
    ["current user", currentUser, currentUser.path(undefined), "GET", "/api/v0/users/current/", "user_read"],
    ["search templates", searchTemplates, searchTemplates.path({}), "GET", "/api/v0/template/", "user_read"],
    ["create template", createTemplate, createTemplate.path(TEMPLATE), "POST", "/api/v0/template/", "user_write"],
    [
      "edit template",
      editTemplate,
      editTemplate.path({ hashId: "4e17", changes: {} }),
      "PUT",
      "/api/v0/template/",
      "user_write",
    ],
    ["delete template", deleteTemplate, deleteTemplate.path(31), "DELETE", "/api/v0/template/", "user_write"],
    [
      "remove team member",
      removeTeamMember,
      removeTeamMember.path(7),
      "DELETE",
      "/api/v0/team/members/7",
      "team_write",
    ],
  ])("%s", (operation, endpoint, path, method, expectedPath, permission) => {
    expect({ ...endpoint, path }).toMatchObject({ operation, method, path: expectedPath, permission });
  });
});

describe("how often each may be sent again by itself", () => {
  test("what rents: never", () => {
    expect(createInstance.retry).toBe("never");
  });

  test("what gives back: its caller decides", () => {
    expect(destroyInstance.retry).toBe("destroy");
  });

  test.each([searchOffers, listInstances, listInstancesSeed, getInstance, currentUser])(
    "what only reads: $operation",
    ({ retry }) => {
      expect(retry).toBe("read");
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
])("what changes the account is sent once: $operation $method", ({ retry }) => {
  expect(retry).toBe("never");
});

test("templates are searched by filters as JSON, and deleted by number or by hash", () => {
  expect(searchTemplates.query?.({ name: { eq: "a" } })).toEqual({ select_filters: '{"name":{"eq":"a"}}' });
  expect(deleteTemplate.body?.(31)).toEqual({ template_id: 31 });
  expect(deleteTemplate.body?.("4e17")).toEqual({ hash_id: "4e17" });
});

test("an edit sends the hash and the changes; today's all that the template says, and nothing that the service counts", () => {
  expect(editTemplate.body?.({ hashId: "4e17", changes: { tag: "2" } })).toEqual({ hash_id: "4e17", tag: "2" });
  const old = { id: 31, hash_id: "4e17", name: "a", tag: "1", count_created: 5, creator_id: 7 };
  const sent = JSON.parse(JSON.stringify(editTemplateById.body?.({ old, changes: { tag: "2" } })));
  expect(sent).toEqual({ id: 31, hash_id: "4e17", name: "a", tag: "2" });
});

test("a search is one object: filters and control keys side by side", () => {
  expect(searchOffers.body?.(QUERY)).toEqual({
    num_gpus: { eq: 1 },
    type: "on-demand",
    order: [["dph_total", "asc"]],
    limit: 64,
  });
});

test("a create is the configuration, and nothing beside it", () => {
  expect(createInstance.body?.({ offerId: 11, config: CONFIG })).toEqual(CONFIG);
});

test("destroying has no body", () => {
  expect(destroyInstance.body).toBeUndefined();
});

test("the daemon's log is asked for by a word of its own; the number of lines is a text", () => {
  expect(requestLogs.body?.({ id: 7, tail: 20, log: "container" })).toEqual({ tail: "20" });
  expect(requestLogs.body?.({ id: 7, tail: 20, log: "daemon" })).toEqual({ tail: "20", daemon_logs: "true" });
});
