// A stand-in for GitHub's command line, as far as set-up uses it. It writes down its words, which everybody on a machine can read.
import { appendFileSync, readFileSync } from "node:fs";
import sodium from "libsodium-wrappers";

const { GH_STANDIN_URL: url = "", GH_STANDIN_LOG: log = "", GH_TOKEN: token } = process.env;
const words = process.argv.slice(2);
appendFileSync(log, `${words.join(" ")}\n`);

function given(flag: string): string | undefined {
  const at = words.indexOf(flag);
  return at === -1 ? undefined : words[at + 1];
}

async function ask(method: string, path: string, body?: string) {
  const headers = { authorization: `token ${token}`, "user-agent": "GitHub CLI stand-in" };
  const response = await fetch(`${url}/${path}`, { method, headers, ...(body !== undefined && { body }) });
  return { status: response.status, text: await response.text() };
}

/** As gh does: the answer on standard output whatever it says, and one line on standard error. */
function show({ status, text }: { status: number; text: string }): void {
  process.stdout.write(text);
  if (status < 400) return;
  const { message } = JSON.parse(text || "{}") as { message?: string };
  process.stderr.write(`gh: ${message} (HTTP ${status})\n`);
  process.exitCode = 1;
}

async function api(): Promise<void> {
  const [path = ""] = words
    .slice(1)
    .filter((word, index, all) => !word.startsWith("-") && !all[index - 1]?.startsWith("-"));
  const body = given("--input") === "-" ? readFileSync(0, "utf8") : undefined;
  show(await ask(given("-X") ?? "GET", path, body));
}

async function setSecret(): Promise<void> {
  const environment = given("--env");
  const base = `repos/${given("-R")}/${environment === undefined ? "actions" : `environments/${environment}`}/secrets`;
  const asked = await ask("GET", `${base}/public-key`);
  if (asked.status >= 400) return show(asked);
  const { key, key_id } = JSON.parse(asked.text) as { key: string; key_id: string };
  await sodium.ready;
  const secret = readFileSync(0, "utf8").replace(/[\r\n]+$/, "");
  const sealed = Buffer.from(sodium.crypto_box_seal(secret, Buffer.from(key, "base64"))).toString("base64");
  const answer = await ask("PUT", `${base}/${words[2]}`, JSON.stringify({ encrypted_value: sealed, key_id }));
  if (answer.status >= 400) show(answer);
}

const [first, second] = words;
if (first === "--version") console.log("gh version 2.102.0");
else if (first === "auth" && second === "status") process.exitCode = (await ask("GET", "user")).status === 200 ? 0 : 1;
else if (first === "api") await api();
else if (first === "secret" && second === "set") await setSecret();
else throw new Error(`The stand-in has no gh ${words.join(" ")}`);
