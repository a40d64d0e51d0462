import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import sodium from "libsodium-wrappers";
import type { Ended } from "../../../setup/run-program.ts";

/** How gh was called. */
interface Call {
  token: string;
  input: string;
  words: string[];
}

/** Starts what answers gh's stand-in (gh.bash), beside the GitHub at `url`. `note` is told each call's words. */
export async function startGhAnswers(url: string, note: (words: string[]) => void) {
  await sodium.ready;
  const server = createServer((caller) => {
    let sent = "";
    caller.setEncoding("utf8").on("error", () => caller.destroy());
    caller.on("data", async (text: string) => {
      sent += text;
      const [count, token = "", input = "", ...words] = sent.split("\0").slice(0, -1);
      if (words.length + 2 !== Number(count)) return;
      note(words);
      const { code, out, err } = await answer(url, { token, input, words });
      caller.end(`${code}\0${out}\0${err}\0`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.dispose]: () => void server.close() };
}

async function answer(url: string, call: Call): Promise<Ended> {
  const [first, second] = call.words;
  if (first === "--version") return { code: 0, out: "gh version 2.102.0\n", err: "" };
  if (first === "api") return await api(url, call);
  if (first === "auth" && second === "status") return { ...(await ask(call, `${url}/user`)), out: "" };
  if (first === "secret" && second === "set") return await setSecret(url, call);
  return { code: 2, out: "", err: `The stand-in has no gh ${call.words.join(" ")}\n` };
}

/** As gh does: prints the answer whatever it says, and one line on standard error. */
async function ask({ token }: Call, url: string, request: RequestInit = {}): Promise<Ended> {
  const headers = { authorization: `token ${token}`, "content-type": "application/json" };
  const response = await fetch(url, { ...request, headers }).catch(() => undefined);
  if (response === undefined) return { code: 1, out: "", err: "error connecting to api.github.com\n" };
  const out = await response.text();
  if (response.ok) return { code: 0, out, err: "" };
  const [, message = ""] = /"message":"([^"]*)"/.exec(out) ?? [];
  return { code: 1, out, err: `gh: ${message} (HTTP ${response.status})\n` };
}

/** `api --hostname HOST -X METHOD PATH`, and `--input -` where the standard input is the body. */
async function api(url: string, call: Call): Promise<Ended> {
  const [, , , , method = "GET", path, ...rest] = call.words;
  return await ask(call, `${url}/${path}`, { method, ...(rest.length > 0 && { body: call.input }) });
}

/** `secret set NAME -R REPOSITORY [--env ENVIRONMENT]`: sealed, without the line's end. */
async function setSecret(url: string, call: Call): Promise<Ended> {
  const [, , name, , repository, , environment] = call.words;
  const place = environment === undefined ? "actions" : `environments/${environment}`;
  const base = `${url}/repos/${repository}/${place}/secrets`;
  const answered = await ask(call, `${base}/public-key`);
  if (answered.code !== 0) return answered;
  const { key, key_id } = JSON.parse(answered.out) as { key: string; key_id: string };
  const sealed = sodium.crypto_box_seal(call.input.replace(/[\r\n]+$/, ""), Buffer.from(key, "base64"));
  const encrypted_value = Buffer.from(sealed).toString("base64");
  return await ask(call, `${base}/${name}`, { method: "PUT", body: JSON.stringify({ encrypted_value, key_id }) });
}
