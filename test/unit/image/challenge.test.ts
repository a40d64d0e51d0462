import { describe, expect, test } from "vitest";
import { readChallenge } from "../../../src/image/image-size.ts";

const HUB =
  'Bearer realm="https://auth.docker.io/token",service="registry.example",scope="repository:library/debian:pull"';

test("a token's address, with what it is to be for", () => {
  expect(readChallenge(HUB, "registry-1.docker.io")).toEqual({
    kind: "token",
    url: new URL("https://auth.docker.io/token?service=registry.example&scope=repository%3Alibrary%2Fdebian%3Apull"),
  });
});

test("the login itself", () => {
  expect(readChallenge('Basic realm="r"', "a.example")).toEqual({ kind: "login" });
});

describe("is not obeyed", () => {
  test.each([
    ["an address without https", 'Bearer realm="http://auth.example/token"', "a.example"],
    ["this very machine, named by another one", 'Bearer realm="http://127.0.0.1:80/token"', "a.example"],
    ["the same over https", 'Bearer realm="https://localhost/token"', "a.example"],
    ["an address with a user", 'Bearer realm="https://u:p@auth.example/token"', "a.example"],
    ["no address", 'Bearer service="s"', "a.example"],
    ["a file", 'Bearer realm="file:///etc/passwd"', "a.example"],
    ["another scheme", 'Negotiate realm="https://auth.example/token"', "a.example"],
    ["nothing", "", "a.example"],
  ])("%s", (_what, header, host) => {
    expect(readChallenge(header, host)).toBeUndefined();
  });
});

test("a registry on this machine may name this machine, and http", () => {
  expect(readChallenge('Bearer realm="http://localhost:1/t"', "127.0.0.1:5000")).toMatchObject({ kind: "token" });
});
