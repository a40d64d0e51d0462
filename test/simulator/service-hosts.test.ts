import { expect, test } from "vitest";
import { HostModel } from "../../simulator/scenario/simulate.ts";
import { drawFate, drawMarket } from "../../simulator/service/catalog/market.ts";
import { underTest } from "./support/service.ts";

const MODEL = HostModel.parse({ seed: 3 });
const fates = (count: number, hasImage = false) =>
  Array.from({ length: count }, (_, index) =>
    drawFate(MODEL, { offer: { machine_id: index + 1, inet_down: 800 }, nth: 1, hasImage }),
  );
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

test("a drawn host that has run an image once has it the second time: it boots in a minute and downloads nothing", async () => {
  const offers = [{ id: 11, simulate: { model: { ...MODEL, broken: 0 } } }];
  await using service = await underTest({ scenario: { offers } });
  for (const inet_down_billed of [3_500_000, 0]) {
    const { id } = await service.create(11);
    service.clock.advance(inet_down_billed > 0 ? 3600 : 61);
    expect(await service.instance(id)).toMatchObject({ actual_status: "running", inet_down_billed });
    await service.call("DELETE", `/api/v0/instances/${id}/`);
  }
});
