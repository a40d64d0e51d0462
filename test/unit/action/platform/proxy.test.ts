import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readProxy } from "../../../../src/action/platform.ts";

beforeEach(() => {
  for (const name of ["http_proxy", "https_proxy", "no_proxy"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toUpperCase(), undefined);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test("no variable, no proxy; no_proxy alone is none either", () => {
  expect(readProxy()).toBeUndefined();
  vi.stubEnv("NO_PROXY", "localhost");
  expect(readProxy()).toBeUndefined();
});

test("in either case of letters", () => {
  vi.stubEnv("https_proxy", "http://proxy.example:3128");
  vi.stubEnv("HTTP_PROXY", "http://other.example:3128");
  vi.stubEnv("NO_PROXY", "localhost,.example.com");
  expect(readProxy()).toEqual({
    httpsProxy: "http://proxy.example:3128",
    httpProxy: "http://other.example:3128",
    noProxy: "localhost,.example.com",
  });
});

test("an address without a scheme is an http address, as other programs read it", () => {
  vi.stubEnv("https_proxy", "proxy.example:3128");
  expect(readProxy()).toEqual({ httpsProxy: "http://proxy.example:3128" });
});

test("what can't be read is not used", () => {
  vi.stubEnv("https_proxy", "http://");
  expect(readProxy()).toBeUndefined();
});
