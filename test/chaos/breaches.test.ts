import { expect, test } from "vitest";
import { startSimulator } from "../../simulator/start-simulator.ts";
import { worldBreaches } from "./breaches.ts";

const ORDER = { image: "a:1", label: "x", disk: 8 };

test("a secret of the account in an order, a configuration that is used twice, and one that is missing are seen", async () => {
  await using sim = await startSimulator({ machines: false });
  const rent = async (offer: number, env: Readonly<Record<string, string>>) => {
    const headers = { authorization: `Bearer ${sim.service.apiKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ ...ORDER, env });
    await fetch(`${sim.service.url}/api/v0/asks/${offer}/`, { method: "PUT", headers, body });
    return worldBreaches(sim, { results: [], bystanders: [] });
  };
  sim.service.setFaults([{ operation: "createInstance", kind: "twin", nth: 1, seconds: 0 }]);
  // Two instances of one create may have the same configurations.
  expect(await rent(11, { GHR_JIT: "first", GHR_JIT_2: "second" })).toEqual([]);
  const [breach] = await rent(12, { GHR_JIT: "third", GHR_JIT_2: "second" });
  expect(breach).toMatch(/has a used runner configuration/);
  const later = await rent(13, { TOKEN: sim.service.apiKey });
  expect(later).toContainEqual(expect.stringMatching(/^the API key stands in the order of/));
  expect(later).toContainEqual(expect.stringMatching(/has no runner configuration/));
});
