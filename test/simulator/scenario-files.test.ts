import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Scenario } from "../../simulator/scenario/scenario.ts";
import { underTest } from "./support/service.ts";

const FOLDER = fileURLToPath(new URL("../../simulator/scenarios/", import.meta.url));
const README = readFileSync(new URL("../../simulator/README.md", import.meta.url), "utf8");
const NAMES = readdirSync(FOLDER).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);
const scenarioOf = (name: string) => Scenario.parse(JSON.parse(readFileSync(`${FOLDER}${name}.json`, "utf8")));

// What its faults and its hosts do is shown with each of them.
test.each(NAMES)("%s is a scenario that says what it shows, and has a line in the table", (name) => {
  expect(scenarioOf(name).about).toMatch(/\.$/);
  expect(README).toContain(`| \`${name}\` |`);
});

test("where a fifth is broken, hosts fail in all the ways that there are", async () => {
  await using service = await underTest({ scenario: scenarioOf("a-fifth-is-broken") });
  const create = (offer: number) =>
    service.call("PUT", `/api/v0/asks/${offer}/`, { image: "a:1", cancel_unavail: true });
  const statuses: number[] = [];
  for (let offer = 101; offer <= 115; offer += 1) statuses.push((await create(offer)).status);
  expect(statuses.filter((status) => status !== 200)).toEqual([410]);
  service.clock.advance(3600);
  const made = service.sim.instances();
  const shown = await Promise.all(made.map(async ({ id }) => (await service.instance(id))?.actual_status));
  expect(shown.filter((status) => status !== "running").toSorted()).toEqual(["exited", "loading"]);
  expect(made.filter(({ machine }) => machine.onstart === "skip")).toHaveLength(1);
});
