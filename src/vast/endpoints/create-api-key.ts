import type { Endpoint } from "../endpoint.ts";
import { type CreatedApiKey, createdApiKeySchema, type PermissionObject } from "../schemas/api-key.ts";

/** A key that is to be made; without permissions it may do all. */
export interface NewApiKey {
  name: string;
  permissions?: PermissionObject;
}

/** Its answer is the only one that shows the secret. Not in the specification. */
export const createApiKey: Endpoint<NewApiKey, CreatedApiKey> = {
  operation: "create API key",
  method: "POST",
  path: () => "/api/v0/auth/apikeys/",
  body: (wanted) => wanted,
  answer: createdApiKeySchema,
  retry: "never",
  permission: "user_write",
  intervalMs: 2000,
};
