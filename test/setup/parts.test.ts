import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { takeOver } from "../../setup/app-api.ts";
import { AppPage } from "../../setup/app-page.ts";
import { diffLines } from "../../setup/diff.ts";
import type { Repository } from "../../setup/facts.ts";
import { readOptions } from "../../setup/options.ts";
import { Screen, Secrets } from "../../setup/screen.ts";
import { lookUpImage, Service, serviceUrl } from "../../setup/service.ts";
import { SetupError } from "../../setup/setup-error.ts";
import { within } from "../../setup/surroundings.ts";
import { readImageName } from "../../src/image/image-name.ts";

test.each([
  ["a price that is none", ["--max-price", "cheap"], /^--max-price must be an amount/],
  ["no price at all", ["--max-cost", "0"], /^--max-cost must be an amount/],
  ["a job that is too long", ["--job-minutes", "600"], /^--job-minutes must be a whole number of minutes up to 160/],
  ["a command that is none", ["install"], /must be init or doctor or remove/],
  ["an image that is none", ["--image", "a b"], /^--image can't be "a b"/],
])("%s is refused by name", (_, words, says) => {
  expect(() => readOptions(words)).toThrow(SetupError);
  expect(() => readOptions(words)).toThrow(says);
});

test("addresses are read without URL.parse, which Node 20.12 lacks", () => {
  const missing = vi.spyOn(URL, "parse").mockImplementation(() => {
    throw new TypeError("URL.parse is not a function");
  });
  expect(serviceUrl("https://service.example.com")).toBe("https://service.example.com");
  expect(readImageName("ghcr.io/acme/tests:1")?.registry).toBe("ghcr.io");
  missing.mockRestore();
});

test("GitHub, the service and a registry are asked by the proxy of the environment, as gh and npx do", async () => {
  const asked: string[] = [];
  const proxy = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (data) => {
      asked.push(String(data).split(" ")[1] ?? "");
      socket.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const env = { https_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const service = await within({ env, sleep: async () => {} }, async () => {
    const secrets = new Secrets();
    const places = { api: "https://api.invalid", web: "https://web.invalid" };
    await expect(takeOver({ places, secrets }, "code")).rejects.toThrow("GitHub gave no answer");
    await lookUpImage("registry.invalid/acme/tests:1");
    return new Service({ secrets, variable: () => "https://service.invalid" }, "a-key");
  });
  // It asks again for a while, which is not waited for.
  service.account().catch(() => {});
  const all = ["api.invalid:443", "registry.invalid:443", "service.invalid:443"];
  await vi.waitFor(() => expect([...new Set(asked)]).toEqual(all), { timeout: 60_000, interval: 25 });
  await service[Symbol.asyncDispose]();
  proxy.close();
});

test("a diff shows what goes and what comes, with two lines around it", () => {
  const before = "a\nb\nc\nd\ne\nf\n";
  expect(diffLines(before, "a\nb\nc\nD\ne\nf\n")).toEqual([" b", " c", "-d", "+D", " e", " f"]);
  expect(diffLines("", "a\nb\n")).toEqual(["+a", "+b"]);
  expect(diffLines("a\nb\n", "")).toEqual(["-a", "-b"]);
  expect(diffLines(before, before)).toEqual([]);
});

test("nothing that is printed holds a secret, a line of one, or what steers a terminal", () => {
  const secrets = new Secrets();
  let printed = "";
  const screen = new Screen({ write: (text) => (printed += text) }, secrets);
  expect(secrets.keep(" key-of-somebody \n")).toBe("key-of-somebody");
  secrets.keep("-----BEGIN-----\nbase64line1\nbase64line2\n-----END-----");
  screen.say("it is key-of-somebody, base64line2\u001b[2K\r");
  expect(printed).toBe("it is ***, ***[2K\n");
});

test("what would change the order of a line is shown by its number", () => {
  let printed = "";
  const screen = new Screen({ write: (text) => (printed += text) }, new Secrets());
  screen.say("safe \u202egnp.exe\u2066 \u2028");
  expect(printed).toBe("safe <U+202E>gnp.exe<U+2066> <U+2028>\n");
});

describe("the app's page", () => {
  const repository = {
    id: 7,
    html_url: "https://github.com/octo/gpu-lib",
    owner: { login: "octo", id: 1, type: "User" },
  };
  const open = () => AppPage.open(repository as Repository, "https://github.com");

  /** Sends bytes, and gives the first line of the answer. */
  async function send(url: string, path: string, host = new URL(url).host): Promise<string> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.end(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    const parts = await socket.toArray();
    return Buffer.concat(parts).toString().split("\r\n")[0] ?? "";
  }

  test.each(["//", "/", "http://[", "*", "/%", "/?code=%E0%A4%A"])("outlives a request for %s", async (path) => {
    await using page = await open();
    expect(await send(page.url, path)).toBe("HTTP/1.1 404 Not Found");
    expect(await send(page.url, new URL(page.url).pathname)).toBe("HTTP/1.1 200 OK");
  });

  test.each(["evil.example", "127.0.0.1", "localhost:PORT", ""])("answers nobody by the name %j", async (name) => {
    await using page = await open();
    const { port, pathname } = new URL(page.url);
    expect(await send(page.url, pathname, name.replace("PORT", port))).toBe("HTTP/1.1 404 Not Found");
  });
});
