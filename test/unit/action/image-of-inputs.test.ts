import { expect, test } from "vitest";
import { faultOfImage, imageOf } from "../../../src/action/image.ts";
import { TemplateNameError } from "../../../src/action/inputs/errors.ts";
import { resolveTemplate } from "../../../src/action/template.ts";
import { templateSchema, type WireTemplate } from "../../../src/marketplace/vast/schemas.ts";
import type { ServiceClient } from "../../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../../src/marketplace/vast/vast-marketplace.ts";
import { inputsOf } from "../support/a-run.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { FAULTS } from "../support/service-faults.ts";

const HASH = "4e17788f74f075dd9aab7d0d4427968f";
const TORCH = { id: 31, hash_id: HASH, name: "Torch", image: "octo/torch", tag: "2.8-cuda12.8", creator_id: 7 };
const OTHER = { ...TORCH, hash_id: "0000", creator_id: 9 };

/** Resolves the template of these inputs where a search gives these rows, or fails. */
async function resolve(given: Record<string, string>, rows: object[] | Error) {
  const asked: unknown[] = [];
  const search = async (filters: unknown): Promise<WireTemplate[]> => {
    asked.push(filters);
    if (rows instanceof Error) throw rows;
    return rows.map((row) => templateSchema.parse(row));
  };
  const service = new VastMarketplace({ searchTemplates: search } as unknown as ServiceClient);
  const log = new RecordedLog();
  const inputs = inputsOf({ image: "", ...given });
  const { signal } = new AbortController();
  return { ...(await resolveTemplate({ service, log } as never, inputs, signal)), asked, log };
}

test("without a template nothing is asked", async () => {
  const { inputs, asked } = await resolve({ image: "debian" }, []);
  expect([inputs.template, asked]).toEqual([undefined, []]);
});

test("a name becomes the hash, and the template's image and filters are known", async () => {
  const filter = { disk_bw: { gte: 900 } };
  const { inputs, asked } = await resolve({ "template-name": "Torch" }, [{ ...TORCH, extra_filters: filter }]);
  expect(asked).toEqual([{ name: { eq: "Torch" } }]);
  expect(inputs).toMatchObject({ templateHashId: HASH, template: { image: "octo/torch:2.8-cuda12.8", filter } });
  expect(imageOf(inputs)).toBe("octo/torch:2.8-cuda12.8");
});

test("a template built on Alpine is refused before anything is rented, unless another image is given", async () => {
  const alpine = { ...TORCH, image: "python:3.12-alpine" };
  const message = expect.stringContaining("image: must be an image with glibc, as the runner program does not");
  await expect(resolve({ "template-name": "Torch" }, [alpine])).rejects.toMatchObject({ name: "InputError", message });
  const { inputs } = await resolve({ "template-name": "Torch", image: "debian:13" }, [alpine]);
  expect(imageOf(inputs)).toBe("debian:13");
});

test("rows that the service should not have given, and twins by content, don't count", async () => {
  const rows = [TORCH, { ...TORCH, id: 32, creator_id: 8 }, { ...TORCH, hash_id: "0".repeat(32), name: "torch" }];
  expect((await resolve({ "template-name": "Torch" }, rows)).inputs.templateHashId).toBe(HASH);
});

test.each<[string, object[], string]>([
  ["none", [], 'No template is named "Torch". Nothing was rented.'],
  ["several", [TORCH, OTHER], `2 templates are named "Torch": ${HASH} (by user 7), 0000 (by user 9). Nothing was r`],
])("%s of one name: an error that names both inputs; a check gets it as its answer", async (_many, rows, message) => {
  const error = await resolve({ "template-name": "Torch" }, rows).catch((caught) => caught);
  expect(error).toBeInstanceOf(TemplateNameError);
  expect(error.message).toContain(message);
  expect(error.hint).toMatch(/template-name.*template-hash-id/);
  expect((await resolve({ "template-name": "Torch", check: "true" }, rows)).fault).toEqual(error);
});

test("what keeps a name from being resolved ends it", async () => {
  await expect(resolve({ "template-name": "Torch" }, FAULTS.forbidden)).rejects.toBe(FAULTS.forbidden);
});

test("a hash that is not shown is warned of, and goes on as it is", async () => {
  const { inputs, log } = await resolve({ "template-hash-id": HASH }, []);
  expect([inputs.templateHashId, inputs.template]).toEqual([HASH, undefined]);
  expect(log.warnings.join()).toContain("don't count in the search");
});

test.each([
  [{ image: "octo/torch" }, "octo/torch:latest"],
  [{ image: "octo/torch", default_tag: "3" }, "octo/torch:3"],
  [{ image: "octo/torch", tag: "@vastai-automatic-tag" }, "octo/torch:@vastai-automatic-tag"],
  [{}, ""],
])("the image of a template %j is %j", async (row, image) => {
  const { inputs } = await resolve({ "template-hash-id": HASH }, [{ hash_id: HASH, ...row }]);
  expect(inputs.template?.image).toBe(image);
});

test("filters that can't be read, or that the action sets itself, are left out with a warning", async () => {
  const extra_filters = { rentable: { eq: false }, disk_bw: "fast", "a b": { eq: 1 }, pcie_bw: { gte: "10" } };
  const { inputs, log } = await resolve({ "template-hash-id": HASH }, [{ hash_id: HASH, extra_filters }]);
  expect(inputs.template?.filter).toEqual({ pcie_bw: { gte: "10" } });
  expect(log.lines.filter((line) => line.includes("is left out"))).toHaveLength(3);
});

const LOGIN = "-u octo -p secret-token ghcr.io";
const PRIVATE = { image: "ghcr.io/octo/private:1" };

test.each([
  [
    "the login",
    LOGIN,
    true,
    "403 to image-login: its user or token is wrong, or may not pull",
    /^Check image-login, and/,
  ],
  ["no login", "", false, "403 without a login: the image is private, or there is none", /needs image-login\.$/],
])("%s is what a registry refuses, which is told without its token", (_what, login, isCertain, why, hint) => {
  const fault = faultOfImage(inputsOf({ ...PRIVATE, "image-login": login }), { kind: "refused", status: 403 });
  const says = expect.stringContaining(`The registry of ghcr.io/octo/private:1 answered ${why}`);
  expect(fault).toEqual({ isCertain, says, hint: expect.stringMatching(hint) });
  expect(JSON.stringify(fault)).not.toContain("secret-token");
});

test("a template may bring a login of its own, of which nothing is known", () => {
  const template = { ...PRIVATE, "template-hash-id": HASH };
  expect(faultOfImage(inputsOf(template), { kind: "refused", status: 401 })).toBeUndefined();
  expect(faultOfImage(inputsOf({ ...template, "image-login": LOGIN }), { kind: "refused", status: 401 })).toBeDefined();
});

test.each([{ kind: "unknown" } as const, { kind: "found", bytes: 1 } as const])("%j is no fault", (answer) => {
  expect(faultOfImage(inputsOf({ ...PRIVATE, "image-login": LOGIN }), answer)).toBeUndefined();
});

test.each([
  ["NAME_UNKNOWN", /^its registry has no ghcr\.io\/octo\/private:1, and says NAME_UNKNOWN$/],
  ["only for linux/arm64", /:1 has no image for linux\/amd64, only for linux\/arm64: build it with `--platform linux/],
] as const)("an image that is missing (%s)", (word, said) => {
  const says = expect.stringMatching(said);
  expect(faultOfImage(inputsOf(PRIVATE), { kind: "missing", word })).toMatchObject({ isCertain: true, says });
});
