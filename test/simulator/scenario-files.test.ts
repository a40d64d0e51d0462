import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Scenario } from "../../simulator/scenario/scenario.ts";
import { type UnderTest, underTest } from "./support/service.ts";

const FOLDER = fileURLToPath(new URL("../../simulator/scenarios/", import.meta.url));

const put = (service: UnderTest, offer: number, more = {}) =>
  service.call("PUT", `/api/v0/asks/${offer}/`, { image: "a:1", cancel_unavail: true, ...more });

/** The point of each file, by its name. */
const SHOWN: Record<string, (service: UnderTest) => Promise<void>> = {
  async "cheapest-offer-is-taken"(service) {
    expect(await put(service, 11)).toMatchObject({ status: 200, body: { success: false } });
    expect((await put(service, 12)).status).toBe(410);
    expect(await put(service, 13)).toMatchObject({ status: 200, body: { success: true } });
  },
  async "image-pull-never-ends"(service) {
    const { id } = await service.create(11);
    service.clock.advance(3600);
    const status_msg = expect.stringContaining("no space left on device");
    expect(await service.instance(id)).toMatchObject({ actual_status: "loading", status_msg });
    const other = await service.create(12);
    service.clock.advance(60);
    expect(await service.instance(other.id)).toMatchObject({ actual_status: "running", inet_down_billed: 3_200_000 });
  },
  async "outbid-while-booting"(service) {
    const { id } = await service.create(11, { price: 0.2 });
    service.clock.advance(60);
    expect(await service.instance(id)).toMatchObject({ intended_status: "stopped", is_bid: true });
    expect(service.sim.books.bill(id)?.gpuSeconds).toBe(0);
    expect(service.sim.books.billingNow()[0]?.storagePerHour).toBeGreaterThan(0);
  },
  async "credit-runs-out"(service) {
    const { id } = await service.create(11);
    service.clock.advance(60);
    expect(await service.instance(id)).toMatchObject({ actual_status: "running" });
    service.clock.advance(120);
    expect(await service.instance(id)).toMatchObject({ intended_status: "stopped" });
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0 }]);
  },
  async "create-answer-is-lost"(service) {
    await expect(put(service, 11, { label: "mine" })).rejects.toThrow();
    const found = async () => (await service.call("GET", "/api/v1/instances/")).body;
    expect(await found()).toMatchObject({ instances: [] });
    service.clock.advance(8);
    expect(await found()).toMatchObject({ instances: [{ label: "mine" }] });
  },
  async "busy-service-sends-junk"(service) {
    const { id } = await service.create(11);
    expect((await service.call("POST", "/api/v0/bundles/", {})).text).toContain('"dlperf":NaN');
    const list = () => service.call("GET", "/api/v1/instances/");
    expect((await list()).status).toBe(200);
    expect(await list()).toMatchObject({ status: 503, text: "upstream connect error" });
    expect(await list()).toMatchObject({ status: 429, body: { detail: expect.stringContaining("threshold=1.0") } });
    expect(await service.instance(id)).not.toHaveProperty("public_ipaddr");
    expect((await service.call("DELETE", `/api/v0/instances/${id}/`)).status).toBe(502);
    expect(service.sim.books.billingNow()).toEqual([]);
  },
  async "a-fifth-is-broken"(service) {
    const answers = [];
    for (let offer = 101; offer <= 115; offer += 1) answers.push((await put(service, offer)).status);
    expect(answers.filter((status) => status !== 200)).toEqual([410]);
    service.clock.advance(3600);
    const made = service.sim.instances();
    const statuses = await Promise.all(made.map(async ({ id }) => (await service.instance(id))?.actual_status));
    expect(statuses.filter((status) => status !== "running").toSorted()).toEqual(["exited", "loading"]);
    expect(made.filter(({ machine }) => machine.onstart === "skip")).toHaveLength(1);
  },
};

const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));

test("every file has its test, and a line in the table", () => {
  expect(files.map((file) => file.replace(".json", "")).toSorted()).toEqual(Object.keys(SHOWN).toSorted());
  const readme = readFileSync(new URL("../../simulator/README.md", import.meta.url), "utf8");
  for (const name of Object.keys(SHOWN)) expect(readme).toContain(`| \`${name}\` |`);
});

test.each(Object.entries(SHOWN))("%s shows what its name says", async (name, shows) => {
  const scenario = Scenario.parse(JSON.parse(readFileSync(`${FOLDER}${name}.json`, "utf8")));
  await using service = await underTest({ scenario });
  await shows(service);
});
