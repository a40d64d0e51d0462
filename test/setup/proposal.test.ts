import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type GpuKind, jobCost, kindsOf, proposeCost, proposeGpu, proposePrice } from "../../setup/market.ts";
import { proposeFor } from "../../setup/proposal.ts";
import { type lookUpImage, namesMeant, type Offer } from "../../setup/service.ts";
import { firstThere } from "../../setup/settings.ts";

function kind(name: string, prices: number[], memoryGb = 24): GpuKind {
  return { name, memoryGb, median: prices[3] ?? prices[0] ?? 0, perGb: 0, prices };
}

const OFFER = { id: 1, num_gpus: 1, dph_total: 0.1 };

describe("what is proposed", () => {
  const many = kind("many", [0.3, 0.31, 0.32, 0.33, 0.34, 0.35, 0.36, 0.371, 0.5]);
  const few = kind("few", [0.1, 0.2]);
  const small = kind("small", [0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01], 12);

  const like = (name: string, price: number) => kind(name, Array(9).fill(price));
  test.each([
    ["the cheapest ones with the memory, until there are eight machines", [small, few, many], ["few", "many"]],
    ["all, where there are fewer", [few, kind("other", [0.2, 0.3])], ["few", "other"]],
    ["none without the memory", [small], []],
    ["more of them as long as they cost little more", [like("a", 0.3), like("b", 0.4), like("c", 1)], ["a", "b"]],
    ["four at most", ["a", "b", "c", "d", "e"].map((name) => like(name, 0.3)), ["a", "b", "c", "d"]],
  ])("several GPUs: %s", (_, kinds, names) => expect(proposeGpu(kinds, 24)).toEqual(names));

  test("a name that is no plain word is nobody's GPU", () => {
    const offers = ["RTX 4090", "$".concat("{{ secrets.RENTAL_API_KEY }}")].map((gpu_name) => ({ ...OFFER, gpu_name }));
    expect(kindsOf(offers as unknown as Offer[]).map(({ name }) => name)).toEqual(["RTX 4090"]);
  });

  test.each([
    ["RTX 4090", ["RTX 4090"]],
    ["rtx-4090", ["RTX 4090"]],
    ["4090", ["RTX 4090"]],
    ["6000", ["RTX 6000", "Q RTX 6000"]],
    ["RTX", []],
    ["409", []],
  ])("%s means %j", (written, names) => {
    expect(namesMeant(written, ["RTX 4090", "RTX 4090D", "RTX 6000", "Q RTX 6000"])).toEqual(names);
  });

  /** What is proposed for a repository with these files. */
  function proposedFor(files: Record<string, string>) {
    const root = mkdtempSync(join(tmpdir(), "proposal-"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const proposal = proposeFor(root);
    rmSync(root, { recursive: true });
    return proposal;
  }

  test.each([
    ["torch", ["2.8.0-cuda12.8-cudnn9-runtime"]],
    ["torch>=2.1", ["2.8.0-cuda12.8-cudnn9-runtime"]],
    ["torch==2.7.0", ["2.7.0-cuda12.8-cudnn9-runtime"]],
    ["torch ~= 2.4", ["2.4.1-cuda12.4-cudnn9-runtime"]],
    ["torch==2.1", ["2.1.2-cuda12.1-cudnn8-runtime"]],
    ["torch==2.10", ["2.10.0-cuda12.8-cudnn9-runtime", "2.8.0-cuda12.8-cudnn9-runtime"]],
    ["torch>=2.9.1", ["2.9.1-cuda12.8-cudnn9-runtime", "2.8.0-cuda12.8-cudnn9-runtime"]],
  ])("%s: PyTorch's image of that version, as far as it is known", (needs, tags) =>
    expect(proposedFor({ "requirements.txt": needs }).images).toEqual(tags.map((tag) => `pytorch/pytorch:${tag}`)),
  );

  test.each([
    ["jax", "python:3.12-slim", "12.8"],
    ["cupy-cuda12x", "python:3.12-slim", "12.8"],
    ["torch", "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", undefined],
  ])("%s: an image whose name says its CUDA, or min-cuda", (needs, image, minCuda) => {
    const proposal = proposedFor({ "requirements.txt": needs });
    expect([proposal.images, proposal.minCuda]).toEqual([[image], minCuda]);
  });

  test("the job installs what the repository needs, and runs the tests that are marked", () => {
    const files = { "requirements.txt": "torch==2.7.1\n", "tests/test_lib.py": "@pytest.mark.gpu\n" };
    const command = "python -m pip install pytest -r requirements.txt && python -m pytest -m gpu";
    expect(proposedFor(files).command).toBe(command);
  });

  test("without tests it is said that nvidia-smi alone tests nothing", () => {
    const nothing = "No tests were found. The command nvidia-smi alone tests nothing";
    expect(proposedFor({ "a.py": "import torch\n" }).says.join()).toContain(nothing);
    expect(proposedFor({ "a/test_a.py": "import torch\n" }).says.join()).not.toContain(nothing);
  });

  test("of several projects none is chosen, and they are named; one in a folder is installed from there", () => {
    const one = { "libs/a/pyproject.toml": 'dependencies = ["torch"]\n', "libs/a/test_a.py": "" };
    expect(proposedFor(one).command).toBe("python -m pip install pytest -e ./libs/a && python -m pytest");
    const two = proposedFor({ ...one, "libs/b/setup.py": "" });
    expect(two.command).toBe("python -m pip install pytest && python -m pytest");
    expect(two.says.join()).toContain("It holds 2 projects (libs/a, libs/b).");
    expect(two.library).toBe("torch");
  });

  test.each<[Awaited<ReturnType<typeof lookUpImage>>["answer"], string]>([
    [{ kind: "found", bytes: 1 }, "a/new:1"],
    [{ kind: "missing", word: "MANIFEST_UNKNOWN" }, "a/sure:1"],
    [{ kind: "unknown" }, "a/sure:1"],
  ])("an image that may not exist is taken where its registry has it (%j)", async (answer, taken) => {
    const asked: string[] = [];
    const look = async (image: string) => {
      asked.push(image);
      return { answer, why: "" };
    };
    expect(await firstThere(["a/new:1", "a/sure:1"], look)).toBe(taken);
    expect(asked).toEqual(["a/new:1"]);
  });

  test("a price below which eight machines are to be had, in whole cents", () => {
    expect(proposePrice([many], ["MANY"])).toBe(0.38);
    expect(proposePrice([few], ["few"])).toBe(0.21);
    expect(proposePrice([few], ["none"])).toBe(undefined);
  });

  test("ten minutes, the boot and the image's bytes are in a job's cost; a run's has room for a second machine", () => {
    expect(jobCost({ ...many, median: 0.6, perGb: 0.01 })).toBeCloseTo(0.17);
    expect(jobCost({ ...many, median: 0.6, perGb: 0.01 }, 57)).toBeCloseTo(0.64);
    expect(proposeCost(2, 30)).toBe(3);
    expect(proposeCost(0.1, 30)).toBe(1);
  });
});
