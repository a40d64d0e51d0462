import type { Settings } from "../../../setup/workflows.ts";

/** Settings that are hard to write as YAML. */
export const SETTINGS: Settings = {
  gpu: "RTX 4090, RTX 3090",
  maxPrice: 0.5,
  maxCost: 1,
  image: "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime",
  command: "pip install -e .\npytest -k 'a: b' # x",
  register: "app",
  appClientId: "Iv23liEXAMPLE",
  environment: "gpu",
  pullRequests: true,
  defaultBranch: "release/1,'#{x",
  action: { repository: "acme/ephemeral-gpu-runner", ref: "a".repeat(40), version: "v1.2.3" },
};
