import type { Answer } from "../../http/deliver.ts";
import { json, NO_CONTENT, notFound, refusal } from "../http/answer.ts";
import { jsonOf, type SetupCall, type SetupRoute } from "../http/route.ts";

const KEY_ID = "568250167242549743";

/** The environment that a path names must be there; a path without one means the repository. */
function within(handle: SetupRoute["handle"]): SetupRoute["handle"] {
  return (call) => {
    const { environment } = call.params;
    const isThere = environment === undefined || call.world.setup.environments.includes(environment);
    return isThere ? handle(call) : notFound();
  };
}

function list({ world, params }: SetupCall): Answer {
  const secrets = world.setup
    .secrets(params.environment)
    .map(({ name, updatedAt }) => ({ name, created_at: updatedAt, updated_at: updatedAt }));
  return json(200, { total_count: secrets.length, secrets });
}

function put(call: SetupCall): Answer {
  const { encrypted_value, key_id } = jsonOf(call);
  const { setup, clock } = call.world;
  const value = key_id === KEY_ID ? setup.open(String(encrypted_value)) : undefined;
  if (value === undefined) return refusal(422, "Bad request - incorrect or missing key_id or encrypted_value");
  const { environment, name = "" } = call.params;
  const isNew = !setup.secrets(environment).some((each) => each.name === name);
  setup.setSecret(environment, name, value, new Date(clock.now()).toISOString());
  return isNew ? json(201, {}) : NO_CONTENT;
}

function remove({ world, params }: SetupCall): Answer {
  return world.setup.deleteSecret(params.environment, params.name ?? "") ? NO_CONTENT : notFound();
}

/** A list, a key, and one secret. */
const HANDLERS: Readonly<Record<string, SetupRoute["handle"]>> = {
  "GET ": list,
  "GET /public-key": async ({ world }) => json(200, { key_id: KEY_ID, key: await world.setup.publicKey() }),
  "PUT /:name": put,
  "DELETE /:name": remove,
};

/** Secrets of the repository, and of its environments. */
export const SECRET_ROUTES: readonly SetupRoute[] = ["actions", "environments/:environment"].flatMap((place) =>
  Object.entries(HANDLERS).map(([at, handle]) => ({
    at: at.replace(" ", ` /repos/:owner/:repo/${place}/secrets`),
    handle: within(handle),
  })),
);
