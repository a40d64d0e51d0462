import { expect, test } from "vitest";
import { instanceSchema } from "../../../src/marketplace/vast/schemas.ts";
import { instanceOf } from "../../../src/marketplace/vast/translate.ts";
import { sshAddress } from "../../../src/report/outputs.ts";

const PROXY = { id: 7, ssh_host: "ssh4.example.com", ssh_port: 11_042 };
const PORTS = { "22/tcp": [{ HostIp: "0.0.0.0", HostPort: "50001" }], "8080/tcp": null };
const DIRECT = { ...PROXY, public_ipaddr: "203.0.113.9 \n", ports: PORTS };

const address = (fields: object, runtype: "ssh_proxy" | "ssh_direct") =>
  sshAddress(instanceOf(instanceSchema.parse(fields)).ssh, runtype);

test("takes nothing for an address that a shell would take for more: people copy it into one", () => {
  const bad = { ...PROXY, ssh_host: "ssh4.example.com`id`" };
  expect(address(bad, "ssh_proxy")).toEqual({ host: "", port: "11042" });
  expect(address({ ...DIRECT, public_ipaddr: "2001:db8::7" }, "ssh_direct").host).toBe("2001:db8::7");
});

test("what is not shown is empty", () => {
  expect(sshAddress(undefined, "ssh_direct")).toEqual({ host: "", port: "" });
});
