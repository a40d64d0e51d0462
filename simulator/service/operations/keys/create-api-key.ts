import { z } from "zod";
import { PERMISSIONS, type Permission } from "../../../scenario/permission.ts";
import { permissionObject } from "../../rows/api-key-row.ts";
import type { Operation } from "../../service-world.ts";
import { NotSimulated, Refusal, unknownPath } from "../../traffic/refusal.ts";

const Body = z.strictObject({
  name: z.string().min(1),
  permissions: z.unknown().optional(),
  key_params: z.unknown().optional(),
});
const Permissions = z.strictObject({ api: z.record(z.string(), z.unknown()) });

/** `POST /api/v0/auth/apikeys/`: alone shows the secret. Not shown in the specification. */
export const createApiKey: Operation = ({ body }, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  const wanted = Body.safeParse(body).data;
  if (!wanted) throw new Refusal(400, { error: "invalid_args", msg: "name is missing, or a field is not known" });
  if (wanted.key_params !== undefined && wanted.key_params !== null) throw new NotSimulated("key_params");
  const { id, key, scopes } = apiKeys.add({ name: wanted.name, scopes: readScopes(wanted.permissions) });
  return { status: 200, body: { id, key, permissions: permissionObject(scopes) } };
};

/** SPEC-SILENT: a key without permissions; it has full access, the console's default. */
function readScopes(given: unknown): Permission[] | undefined {
  if (given === undefined || given === null) return undefined;
  const { api } = Permissions.safeParse(given).data ?? {};
  if (api === undefined) throw invalid("permissions must be {api: {<permission>: {}}}");
  const names = Object.keys(api);
  if (names.length === 0) throw new Refusal(400, { error: "missing_permissions", msg: "permissions is empty" });
  const unknown = names.find((name) => !isPermission(name));
  if (unknown !== undefined) throw invalid(`${unknown} is no permission`);
  if (Object.values(api).some((constraint) => JSON.stringify(constraint) !== "{}")) {
    throw new NotSimulated("constraints of a permission");
  }
  return names.filter(isPermission);
}

function isPermission(name: string): name is Permission {
  return (PERMISSIONS as readonly string[]).includes(name);
}

function invalid(msg: string): Refusal {
  return new Refusal(400, { error: "invalid_permissions", msg });
}
