import { z } from "zod";
import { parseJson } from "../parse-json.ts";
import { aNumber, maybeNumber, maybeString } from "./foreign.ts";

/** `{api: {<permission>: {}}}`: what a key may do. */
export interface PermissionObject {
  api: Readonly<Record<string, unknown>>;
}

/** A key of the account. Its secret is shown only when it is made. */
export const apiKeySchema = z.looseObject({
  id: aNumber,
  name: maybeString,
  user_id: maybeNumber,
  permissions: z.unknown().optional(),
  rights: z.unknown().optional(),
});

/** A key of the account. */
export type ApiKey = z.infer<typeof apiKeySchema>;

/** A key that was just made, with its secret. */
export const createdApiKeySchema = z.looseObject({
  id: aNumber,
  key: z.string().min(1),
  permissions: z.unknown().optional(),
});

/** A key that was just made. */
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

const permissionObject = z.looseObject({ api: z.record(z.string(), z.unknown()) });

/**
 * The names of a key's permissions; undefined where it can't be told. SPEC-SILENT: where a row has
 * them; looked for in `permissions` and `rights`, as an object or as JSON in a text.
 */
export function permissionsOf({ permissions, rights }: Partial<ApiKey>): string[] | undefined {
  for (const given of [permissions, rights]) {
    const read = permissionObject.safeParse(typeof given === "string" ? parseJson(given) : given);
    if (read.success) return Object.keys(read.data.api);
  }
  return undefined;
}
