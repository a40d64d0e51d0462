import type { Context } from "./context.ts";
import type { Checkout } from "./git.ts";

/** The steps that gh would have done, one by one, with their links. */
export function tellByHand({ screen, places, action }: Context, { repository }: Checkout): void {
  const web = `${places.web}/${repository}`;
  const docs = `${places.web}/${action?.repository ?? "OWNER/ephemeral-gpu-runner"}/blob/main/docs/first-run.md`;
  const steps = [
    "Add 10 USD, without automatic recharge: https://cloud.vast.ai/billing/",
    "Make a key with the permissions misc, user_read, instance_read and instance_write: https://cloud.vast.ai/manage-keys/",
    `Make a token with Administration: Read and write on ${repository} alone: ${places.web}/settings/personal-access-tokens/new`,
    `Make the environment gpu for the default branch, and gpu-pr with you as its reviewer: ${web}/settings/environments/new`,
    "Add two secrets to each: RENTAL_API_KEY is the key, RUNNER_TOKEN the token.",
    `Add the workflow files of this page, and commit them: ${docs}`,
    `Look at the first run: ${web}/actions`,
  ];
  screen.head("By hand it goes like this:");
  for (const [index, step] of steps.entries()) screen.say(`  ${index + 1}. ${step}`);
}
