const MASK = "…";

/** Fields whose value is a secret, or may be one. */
const SECRET_FIELDS = new Set([
  "instance_api_key",
  "image_login",
  "docker_login_pass",
  "jupyter_token",
  "ssh_key",
  "key",
  "new_api_key",
]);

/** Copies a JSON body without secrets: keys, env values (not names), onstart (but its length). */
export function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, redactField(name, field)]));
}

function redactField(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (SECRET_FIELDS.has(name)) return MASK;
  if (name === "env") return redactEnv(value);
  if (name === "extra_env") return redactPairs(value);
  if (name === "onstart" && typeof value === "string") return `<${value.length} characters>`;
  return redact(value);
}

function redactEnv(env: unknown): unknown {
  if (typeof env !== "object" || env === null) return MASK;
  return Object.fromEntries(Object.keys(env).map((name) => [name, MASK]));
}

function redactPairs(pairs: unknown): unknown {
  if (!Array.isArray(pairs)) return MASK;
  return pairs.map((pair) => (Array.isArray(pair) ? [pair[0], MASK] : MASK));
}
