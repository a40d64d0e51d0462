import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readProxy } from "../../../src/shared/proxy.ts";

beforeEach(() => {
  for (const name of ["http_proxy", "https_proxy", "no_proxy"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toUpperCase(), undefined);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test("an address without a scheme is an http address, as other programs read it", () => {
  vi.stubEnv("https_proxy", "proxy.example:3128");
  expect(readProxy(process.env)).toEqual({ httpsProxy: "http://proxy.example:3128" });
});

test("what can't be read is not used", () => {
  vi.stubEnv("https_proxy", "http://");
  expect(readProxy(process.env)).toBeUndefined();
});
