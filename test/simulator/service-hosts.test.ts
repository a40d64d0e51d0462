import { expect, test } from "vitest";
import { HostModel } from "../../simulator/scenario/simulate.ts";
import { drawFate, drawMarket } from "../../simulator/service/catalog/market.ts";
import { underTest } from "./support/service.ts";

const MODEL = HostModel.parse({ seed: 3 });
const fates = (count: number, hasImage = false) =>
  Array.from({ length: count }, (_, index) =>
    drawFate(MODEL, { offer: { machine_id: index + 1, inet_down: 800 }, nth: 1, hasImage }),
  );
const share = <Item>(items: readonly Item[], isOne: (item: Item) => boolean) =>
  items.filter(isOne).length / items.length;
test("a fifth of the hosts is broken: half of those exit, of the others three in ten run and are never heard of", () => {
  const all = fates(4000);
  expect(share(all, ({ words }) => words.startsWith("broken"))).toBeCloseTo(0.2, 1);
  const broken = all.filter(({ words }) => words.startsWith("broken"));
  expect(share(broken, ({ words }) => words.includes("exits"))).toBeCloseTo(0.5, 1);
  const others = broken.filter(({ words }) => !words.includes("exits"));
  expect(share(others, ({ machine }) => machine?.onstart === "skip")).toBeCloseTo(0.3, 1);
});

test("boots are drawn about their median, by the line of the host; the same seed draws the same", () => {
  const seconds = fates(2000)
    .filter(({ words }) => words.startsWith("boots"))
    .map(({ statuses }) => statuses.at(-1)?.after ?? 0)
    .toSorted((a, b) => a - b);
  // 20 s of provisioning and 3.5 GB × (16000 / 800 + 20) s.
  expect(seconds[Math.floor(seconds.length / 2)]).toBeGreaterThan(150);
  expect(seconds[Math.floor(seconds.length / 2)]).toBeLessThan(170);
  expect(new Set(seconds).size).toBeGreaterThan(100);
  expect(fates(50)).toEqual(fates(50));
  expect(drawMarket({ ...MODEL, offers: 40 })).toEqual(drawMarket({ ...MODEL, offers: 40 }));
  expect(drawMarket({ ...MODEL, offers: 40 })).not.toEqual(drawMarket({ ...MODEL, seed: 4, offers: 40 }));
});

test("a host that has the image boots in 30 to 60 s and downloads nothing", async () => {
  await using service = await underTest({ scenario: { offers: [{ id: 11, simulate: { hasImage: true } }] } });
  const { id } = await service.create(11);
  service.clock.advance(29);
  expect(await service.instance(id)).toMatchObject({ actual_status: "loading" });
  service.clock.advance(31);
  expect(await service.instance(id)).toMatchObject({ actual_status: "running", inet_down_billed: 0 });
});

test("a drawn host that has run an image once has it the second time", async () => {
  await using service = await underTest({
    scenario: { offers: [{ id: 11, simulate: { model: { ...MODEL, broken: 0 } } }] },
  });
  const first = await service.create(11);
  service.clock.advance(3600);
  expect(await service.instance(first.id)).toMatchObject({ actual_status: "running", inet_down_billed: 3_500_000 });
  await service.call("DELETE", `/api/v0/instances/${first.id}/`);
  const second = await service.create(11);
  service.clock.advance(61);
  expect(await service.instance(second.id)).toMatchObject({ actual_status: "running", inet_down_billed: 0 });
});
