import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { tableRows } from "./support/markdown.ts";
import { textOf } from "./support/repository.ts";

/** The inputs of machulav/ec2-github-runner at 343a1b2 (2026-04), as its action.yml lists them. */
const EC2 = `mode github-token availability-zones-config ec2-image-id ec2-instance-type subnet-id security-group-id label
  ec2-instance-id iam-role-name aws-resource-tags runner-home-dir pre-runner-script market-type block-device-mappings
  startup-quiet-period-seconds startup-retry-interval-seconds startup-timeout-minutes run-runner-as-service
  run-runner-as-user ec2-volume-size ec2-device-name ec2-volume-type metadata-options packages use-jit runner-group-id
  runner-debug region`;

/** The options of `cml runner launch` at a3a66c74 (2024-10) in its help, and the common ones. */
const CML = `--labels --idle-timeout --name --no-retry --single --reuse --reuse-idle --workdir --docker-volumes --cloud
  --cloud-region --cloud-type --cloud-permission-set --cloud-metadata --cloud-gpu --cloud-hdd-size --cloud-ssh-private
  --cloud-spot --cloud-spot-price --cloud-startup-script --cloud-aws-security-group --cloud-aws-subnet
  --cloud-kubernetes-node-selector --cloud-image --token --repo --driver`;

const action = parse(textOf("action.yml")) as { inputs: object; outputs: object };
const sweep = parse(textOf("sweep/action.yml")) as { inputs: object };
const OURS = [action.inputs, action.outputs, sweep.inputs].flatMap(Object.keys);

function codes(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code);
}

describe.each([
  ["docs/recipes/from-ec2-github-runner.md", EC2],
  ["docs/recipes/from-cml-runner.md", CML],
])("%s", (page, theirs) => {
  const rows = tableRows(textOf(page));

  test("has an answer to each of the other's inputs", () => {
    const named = rows.flatMap(([there = ""]) => codes(there)).map((code) => code.replace(/[:=].*$/, ""));
    expect(theirs.split(/\s+/).filter((name) => !named.includes(name))).toEqual([]);
    expect(rows.filter(([, here]) => here === undefined || here === "")).toEqual([]);
  });

  test("answers with inputs and outputs that there are", () => {
    const answers = rows.flatMap(([, here = ""]) => codes(here));
    const names = answers.filter((code) => /^[a-z-]+(: .*)?$/.test(code)).map((code) => code.replace(/:.*$/, ""));
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !OURS.includes(name) && name !== "needs")).toEqual([]);
  });
});
