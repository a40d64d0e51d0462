/** The operations on templates, keys and the team, by the seed's names. */
export const ACCOUNT_OPERATIONS = [
  "searchTemplates",
  "createTemplate",
  "editTemplate",
  "deleteTemplate",
  "listTeamMembers",
  "removeTeamMember",
  "createApiKey",
  "listApiKeys",
  "getApiKey",
  "deleteApiKey",
  "resetApiKey",
  "listVariables",
] as const;

/** One of them. */
export type AccountOperation = (typeof ACCOUNT_OPERATIONS)[number];
