import { lookup } from "node:dns/promises";
import { BlockList, isIPv6 } from "node:net";

/** Networks that nobody can reach from outside, this very machine included. An IPv4 address within IPv6 counts as itself. */
const PRIVATE = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
] as const)
  PRIVATE.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  PRIVATE.addSubnet(network, bits, "ipv6");

/** True for an address that no public host can have. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE.check(address.replace(/%.*$/, ""), isIPv6(address) ? "ipv6" : "ipv4");
}

/** True if a host is at a private address. A host that can't be found is not. */
export async function isAtPrivateAddress(hostname: string): Promise<boolean> {
  try {
    return isPrivateAddress((await lookup(hostname)).address);
  } catch {
    return false;
  }
}
