import { createTemplate } from "../operations/account/create-template.ts";
import { deleteTemplate } from "../operations/account/delete-template.ts";
import { editTemplate } from "../operations/account/edit-template.ts";
import { listTeamMembers } from "../operations/account/list-team-members.ts";
import { listVariables } from "../operations/account/list-variables.ts";
import { removeTeamMember } from "../operations/account/remove-team-member.ts";
import { searchTemplates } from "../operations/account/search-templates.ts";
import { createApiKey } from "../operations/keys/create-api-key.ts";
import { deleteApiKey } from "../operations/keys/delete-api-key.ts";
import { getApiKey } from "../operations/keys/get-api-key.ts";
import { listApiKeys } from "../operations/keys/list-api-keys.ts";
import { resetApiKey } from "../operations/keys/reset-api-key.ts";

/** The addresses of templates, keys and the team; read as those of `routes.ts`. */
export const ACCOUNT_ROUTES = [
  { method: "GET", path: "/api/v0/template", name: "searchTemplates", run: searchTemplates },
  { method: "POST", path: "/api/v0/template", name: "createTemplate", run: createTemplate },
  { method: "PUT", path: "/api/v0/template", name: "editTemplate", run: editTemplate },
  { method: "PUT", path: "/api/v1/template", name: "editTemplate", run: editTemplate },
  { method: "DELETE", path: "/api/v0/template", name: "deleteTemplate", run: deleteTemplate },
  { method: "GET", path: "/api/v0/team/members", name: "listTeamMembers", run: listTeamMembers },
  { method: "DELETE", path: "/api/v0/team/members/:id", name: "removeTeamMember", run: removeTeamMember },
  { method: "POST", path: "/api/v0/auth/apikeys", name: "createApiKey", run: createApiKey },
  { method: "GET", path: "/api/v0/auth/apikeys", name: "listApiKeys", run: listApiKeys },
  { method: "GET", path: "/api/v0/auth/apikeys/:id", name: "getApiKey", run: getApiKey },
  { method: "DELETE", path: "/api/v0/auth/apikeys/:id", name: "deleteApiKey", run: deleteApiKey },
  { method: "PUT", path: "/api/v0/commands/reset_apikey", name: "resetApiKey", run: resetApiKey },
  { method: "GET", path: "/api/v0/secrets", name: "listVariables", run: listVariables },
] as const;
