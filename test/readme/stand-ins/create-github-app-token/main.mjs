import { appendFileSync } from "node:fs";

const { env } = process;
const wanted = ["client-id", "private-key"].filter((name) => !env[`INPUT_${name.toUpperCase()}`]);
if (wanted.length > 0) throw new Error(`No ${wanted.join(" and no ")} came with the step.`);
const permissions = [env["INPUT_PERMISSION-ADMINISTRATION"], env["INPUT_PERMISSION-ORGANIZATION-SELF-HOSTED-RUNNERS"]];
if (!permissions.includes("write")) throw new Error("The token could register no runner.");
if (!env.STAND_IN_TOKEN) throw new Error("No call in this test has a GitHub App.");
appendFileSync(env.GITHUB_OUTPUT ?? "", `token=${env.STAND_IN_TOKEN}\n`);
