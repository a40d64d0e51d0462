// Checks a call of gpu.yml and gives its jobs what they need. Reads INPUT_… as the platform sets
// them; ends with 1 when the call is wrong, after one annotation with all that is wrong with it.
import { appendFileSync, readFileSync } from "node:fs";
import { planCall } from "./plan-call.mjs";

const { env } = process;

const call = new Proxy({}, { get: (_, name) => env[`INPUT_${String(name).toUpperCase()}`] ?? "" });
const event = env.GITHUB_EVENT_PATH ? JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8")) : {};
const plan = planCall(call, {
  repository: env.GITHUB_REPOSITORY ?? "",
  actor: env.GITHUB_ACTOR ?? "",
  event: env.GITHUB_EVENT_NAME ?? "",
  // GitHub sends null for a fork that was deleted: its pull request is a fork's all the same.
  headRepository: event.pull_request ? (event.pull_request.head?.repo?.full_name ?? "") : undefined,
});

/** A text as the message of a workflow command. */
function escaped(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

if ("outputs" in plan) {
  const lines = Object.entries(plan.outputs).map(([name, value]) => `${name}=${value}\n`);
  appendFileSync(env.GITHUB_OUTPUT ?? "/dev/null", lines.join(""));
  console.log(`${plan.outputs.jobs} GPU job(s) are to run.`);
  for (const { title, text } of plan.warnings) console.log(`::warning title=${title}::${escaped(text)}`);
} else if ("notice" in plan) {
  // The matrix stays one: nobody says whether it is read before the condition that skips its job.
  appendFileSync(env.GITHUB_OUTPUT ?? "/dev/null", 'go=false\nmatrix={"include":[{"title":""}]}\n');
  console.log(`::notice title=No GPU jobs::${escaped(plan.notice)}`);
} else {
  console.log(`::error title=The call of gpu.yml can't work::${escaped(plan.wrong.join(" "))} Nothing was rented.`);
  process.exitCode = 1;
}
