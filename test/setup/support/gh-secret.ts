// `gh secret set NAME -R REPOSITORY [--env ENVIRONMENT]` of the stand-in: seals what stands on the standard input, and sends it.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import sodium from "libsodium-wrappers";

const { GH_STANDIN_URL: url = "", GH_TOKEN: token } = process.env;
const {
  values: { repo, env },
  positionals: [name],
} = parseArgs({
  options: { repo: { type: "string", short: "R" }, env: { type: "string" } },
  allowPositionals: true,
});
const base = `repos/${repo}/${env === undefined ? "actions" : `environments/${env}`}/secrets`;

/** Asks, and ends with one line on standard error when GitHub refuses, as gh does. */
async function ask(method: string, path: string, body?: string): Promise<string> {
  const headers = { authorization: `token ${token}`, "user-agent": "GitHub CLI stand-in" };
  const response = await fetch(`${url}/${path}`, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  if (response.ok) return text;
  const { message } = JSON.parse(text || "{}") as { message?: string };
  process.stderr.write(`gh: ${message} (HTTP ${response.status})\n`);
  process.exit(1);
}

const { key, key_id } = JSON.parse(await ask("GET", `${base}/public-key`)) as { key: string; key_id: string };
await sodium.ready;
const secret = readFileSync(0, "utf8").replace(/[\r\n]+$/, "");
const sealed = Buffer.from(sodium.crypto_box_seal(secret, Buffer.from(key, "base64"))).toString("base64");
await ask("PUT", `${base}/${name}`, JSON.stringify({ encrypted_value: sealed, key_id }));
