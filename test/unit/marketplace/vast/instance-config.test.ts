import { describe, expect, test } from "vitest";
import { configOf } from "../../../../src/marketplace/vast/translate.ts";

const MACHINE = { offerId: 11, label: "ghr1.1.2-1.abcdef.1.9", onstart: "#!/bin/bash\n", env: { GHR_JIT: "x" } };

test("is the body that rents, and nothing else", () => {
  expect(configOf({ ...MACHINE, image: "debian:13", runtype: "ssh_proxy", disk: 32 })).toEqual({
    image: "debian:13",
    label: "ghr1.1.2-1.abcdef.1.9",
    disk: 32,
    runtype: "ssh_proxy",
    target_state: "running",
    env: { GHR_JIT: "x" },
    onstart: "#!/bin/bash\n",
    // Without it a machine that can't be had becomes a stopped instance that bills its disk.
    cancel_unavail: true,
  });
});

test("a bid and a volume are sent only where they are", () => {
  const volume = { id: 81, mountPath: "/data" };
  const order = { ...MACHINE, image: "debian:13", runtype: "ssh_proxy", disk: 32, volume } as const;
  const volume_info = { create_new: false, volume_id: 81, mount_path: "/data" };
  // Without cancel_unavail a bid that can't be met becomes a stopped instance.
  const config = { price: 0.25, volume_info, cancel_unavail: true };
  expect(configOf({ ...order, bid: 0.25 })).toMatchObject(config);
  const plain = Object.keys(configOf({ ...order, volume: undefined }));
  expect(plain).not.toContain("price");
  expect(plain).not.toContain("volume_info");
});

describe("a template", () => {
  const order = { ...MACHINE, templateHashId: "4e17788f", runtype: "ssh_direct", disk: 32 } as const;

  test("keeps its image: what is not said is not sent", () => {
    const config = configOf({ ...order, image: undefined, imageLogin: undefined });
    expect(config).toMatchObject({ template_hash_id: "4e17788f", disk: 32, runtype: "ssh_direct" });
    expect(Object.keys(config)).not.toContain("image");
    expect(Object.keys(config)).not.toContain("image_login");
  });
});
