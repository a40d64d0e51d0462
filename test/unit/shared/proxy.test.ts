import { expect, test } from "vitest";
import { readProxy } from "../../../src/shared/proxy.ts";

test.each([
  ["proxy.example:3128", { httpsProxy: "http://proxy.example:3128" }],
  ["http://", undefined],
])("an address without a scheme is an http address, one that can't be read is not used: %s", (https_proxy, proxy) => {
  expect(readProxy({ https_proxy })).toEqual(proxy);
});
