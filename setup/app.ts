import type { MadeApp } from "./app-api.ts";
import { AppPage } from "./app-page.ts";
import { type Applying, setSecret } from "./applying.ts";
import { pause } from "./pause.ts";
import { proveToken } from "./runner-proof.ts";
import { SetupError } from "./setup-error.ts";

const LOOK_MS = 3000;
const LOOKS = 300;

/** Has the person make an app by one click and install it by another; proves it, and sets its secret. */
export async function makeApp(applying: Applying): Promise<string> {
  const { context, facts } = applying;
  const made = await takeApp(applying);
  // At once: nothing shows this key again.
  await setSecret("APP_PRIVATE_KEY", made.pem, applying);
  applying.settings.appClientId = made.client_id;
  const page = `${context.places.web}/apps/${made.slug}/installations/new`;
  context.screen.say(`  Install the app on ${facts.repository.full_name} alone (Only select repositories): ${page}`);
  await proveApp(applying, made);
  return `The app ${made.slug} is installed and may register runners; the secret APP_PRIVATE_KEY is set`;
}

async function takeApp({ context, facts }: Applying): Promise<MadeApp> {
  await using page = await AppPage.open(facts.repository, context.places.web);
  context.screen.say(`  Open this page, and press "Create GitHub App": ${page.url}`);
  return await context.apps.takeOver(await page.code(context.stop));
}

/** Waits until the app is installed on the repository, and has it register and delete a runner. */
export async function proveApp(applying: Applying, app: Pick<MadeApp, "client_id" | "pem">): Promise<void> {
  const { context, facts } = applying;
  const { full_name: repository } = facts.repository;
  const installation = await waitForInstallation(applying, app);
  const token = await context.apps.tokenFor(repository, installation, app);
  await proveToken(context.apps.as(token), repository, context.secrets);
}

async function waitForInstallation(
  { context, facts }: Applying,
  app: Pick<MadeApp, "client_id" | "pem">,
): Promise<number> {
  const { full_name: repository } = facts.repository;
  for (let look = 1; look <= LOOKS; look += 1) {
    const found = await context.apps.installationOn(repository, app);
    if (found !== undefined) return found;
    await pause(LOOK_MS, context.stop);
  }
  throw new SetupError(
    `The app is not installed on ${repository}.`,
    "Install it, and run this again with --app-client-id.",
  );
}
