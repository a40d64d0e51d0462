import { expect, test } from "vitest";
import { isPrivateAddress } from "../../../src/shared/http-client.ts";

test.each([
  ..."10.0.0.1 172.31.255.255 192.168.1.1 127.0.0.1 169.254.169.254 100.64.0.1 0.0.0.0".split(" "),
  ..."::1 :: fe80::1%eth0 fd00:ec2::254 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe".split(" "),
])("%s is private", (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

test.each("172.32.0.1 100.128.0.1 203.0.113.7 2606:4700::1111 ::ffff:1.1.1.1".split(" "))("%s is not", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});
