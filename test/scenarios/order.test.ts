import { expect } from "vitest";
import { test } from "../support/scenario.ts";

const HASH = "4e17788f74f075dd9aab7d0d4427968f";
const TEMPLATE = {
  id: 31,
  hash_id: HASH,
  name: "Torch for tests",
  image: "registry.invalid/octo/torch",
  tag: "2.8-cuda12.8",
  env: "-e MODE=train -e GREETING=hello",
  onstart: "echo the template's own",
  recommended_disk_space: 64,
  extra_filters: { disk_bw: { gte: 2000 }, gpu_name: { eq: "RTX 3090" } },
};

test("template-name: its filters, image and variables are used, and what this step says itself wins", async ({
  start,
}) => {
  // The cheapest don't fit the template: a slow disk, and a driver too old for its image.
  const offers = [
    { id: 11, dph_base: 0.2, disk_bw: 500 },
    { id: 12, dph_base: 0.25, disk_bw: 3000, cuda_max_good: 12.4 },
    { id: 13, dph_base: 0.3, disk_bw: 3000, cuda_max_good: 12.9 },
  ];
  const session = await start({
    with: { image: undefined, "template-name": TEMPLATE.name, env: "GREETING=hej" },
    scenario: { templates: [TEMPLATE], offers },
  });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain(`The template is "${TEMPLATE.name}", hash_id ${HASH}.`);
  expect(session.rentedOffers()).toEqual([13]);
  const { order } = session.instances()[0] ?? {};
  expect(order).toMatchObject({
    image: "registry.invalid/octo/torch:2.8-cuda12.8",
    disk: 32,
    runtype: "ssh_proxy",
    env: expect.objectContaining({ MODE: "train", GREETING: "hej" }),
    template: { hash_id: HASH },
  });
  expect(order?.onstart).not.toContain("the template's own");
  expect(session.sim.registry.requests).toEqual([]);
  expect(session.run.job("test").conclusion).toBe("success");
});

test("volume-id: the search is bound to the volume's host, though another one is cheaper", async ({ start }) => {
  const session = await start({
    with: { "volume-id": "81", "volume-mount-path": "/data" },
    scenario: {
      offers: [
        { id: 11, machine_id: 501, dph_base: 0.2 },
        { id: 12, machine_id: 502, dph_base: 0.4 },
      ],
      volumes: [{ id: 81, machine_id: 502 }],
    },
  });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("Volume 81 is on host 502: only that one can have it.");
  expect(session.instances()[0]).toMatchObject({ offer: { id: 12 }, volume: { id: 81 } });
});
