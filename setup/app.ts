import { userInfo } from "node:os";
import { type AppProof, installationOn, type MadeApp, takeOver, tokenFor } from "./app-api.ts";
import { AppPage, appName } from "./app-page.ts";
import { type Applying, again, type Change, setSecret } from "./change.ts";
import type { Context } from "./context.ts";
import type { Repository } from "./facts.ts";
import type { NotedApp } from "./note.ts";
import { proveToken } from "./registration.ts";
import { SetupError } from "./setup-error.ts";
import { pause } from "./surroundings.ts";
import { rightOf } from "./workflows.ts";

const LOOK_MS = 3000;
const LOOKS = 300;
/** For what can't be had a second time. */
const ONCE_MORE = { says: () => "Once more.", pauseMs: LOOK_MS };

/** The page on which an app can be deleted. */
export function appPage({ places }: Pick<Context, "places">, { owner }: Repository, slug: string): string {
  const place = owner.type === "Organization" ? `/organizations/${owner.login}` : "";
  return `${places.web}${place}/settings/apps/${slug}/advanced`;
}

/** Has the person make an app by one click and install it by another. The workflow names it then. */
export function makesApp(into: string): Change {
  const says = [`Make a GitHub App (two clicks in the browser), and put its key ${into} APP_PRIVATE_KEY.`];
  return { says, isOfFiles: true, carryOut: makeApp };
}

/** Sets the key of an app that is there, when it is proved. */
export function setsAppKey(into: string): Change {
  return {
    says: [`Put the app's key ${into} APP_PRIVATE_KEY.`],
    carryOut: async (applying) => {
      const { context, given, settings } = applying;
      await proveApp(applying, { client_id: settings.appClientId ?? "", pem: given.pem ?? "" });
      context.note.proved(settings.appClientId);
      return await setSecret("APP_PRIVATE_KEY", given.pem ?? "", applying);
    },
  };
}

/** Goes on with an app whose key is in the secret alone: nobody can look whether it is installed. */
export function installs(app: NotedApp): Change {
  return {
    says: [`Have the app ${app.slug} of an earlier start installed (a click in the browser).`],
    carryOut: (applying) => installApp(app, applying),
  };
}

async function makeApp(applying: Applying): Promise<string> {
  const { context, facts } = applying;
  const asked = appName(facts.repository);
  const note = (slug: string, state: NotedApp["state"], clientId?: string) => {
    const page = appPage(context, facts.repository, slug);
    context.note.app({ slug, state, page, ...(clientId !== undefined && { clientId }) }, asked);
  };
  note(asked, "asked");
  const made = await takeApp(applying);
  note(made.slug, "made", made.client_id);
  // At once: nothing shows this key again.
  await again(context, () => setSecret("APP_PRIVATE_KEY", made.pem, applying), ONCE_MORE);
  note(made.slug, "kept", made.client_id);
  applying.settings.appClientId = made.client_id;
  tellInstallation(applying, made.slug);
  await proveApp(applying, made);
  context.note.proved(made.client_id);
  return `The app ${made.slug} is installed and may register runners; the secret APP_PRIVATE_KEY is set`;
}

async function installApp(app: NotedApp, applying: Applying): Promise<string> {
  const { context, facts } = applying;
  const { full_name: repository } = facts.repository;
  tellInstallation(applying, app.slug);
  if (!(await context.questions.yes(`Is the app installed on ${repository}?`, true)))
    throw new SetupError(`The app ${app.slug} is not installed on ${repository}.`, "Install it, and run this again.");
  context.note.proved(app.clientId);
  return `The app ${app.slug} is kept: the first run shows whether it is installed`;
}

function tellInstallation({ context, facts }: Applying, slug: string): void {
  const page = `${context.places.web}/apps/${slug}/installations/new`;
  context.screen.say(`  Install the app on ${facts.repository.full_name} alone (Only select repositories): ${page}`);
}

async function takeApp({ context, facts, settings }: Applying): Promise<MadeApp> {
  await using page = await AppPage.open(facts.repository, context.places.web, rightOf(settings));
  context.screen.say(`  Open this page, and press "Create GitHub App": ${page.url}`);
  tellTunnel(context, new URL(page.url).port);
  const code = await page.code(context.stop);
  return await again(context, () => takeOver(context, code), ONCE_MORE);
}

/** The browser of somebody who is logged in by SSH is on another computer. */
function tellTunnel({ screen, variable }: Context, page: string): void {
  const [, , server, port] = variable("SSH_CONNECTION")?.split(" ") ?? [];
  if (server === undefined) return;
  const way = `${port === "22" ? "" : `-p ${port} `}${userInfo().username}@${server}`;
  screen.say("  You are logged in by SSH, and that page is on this machine. First run this where your browser is:");
  screen.say(`    ssh -N -L ${page}:127.0.0.1:${page} ${way}`);
  screen.say("  Or press Ctrl-C, and run this again with --register token.");
}

/** Waits until the app is installed on the repository, and has it register and delete a runner. */
async function proveApp({ context, facts, settings }: Applying, app: AppProof): Promise<void> {
  const { full_name: repository } = facts.repository;
  const installation = await waitForInstallation(context, repository, app);
  const token = await tokenFor(context, { repository, right: rightOf(settings), installation }, app);
  await proveToken(context, facts.repository, { ...settings, token });
}

async function waitForInstallation(context: Context, repository: string, app: AppProof): Promise<number> {
  for (let look = 1; look <= LOOKS; look += 1) {
    const found = await installationOn(context, repository, app);
    if (found !== undefined) return found;
    await pause(LOOK_MS, context.stop);
  }
  throw new SetupError(`The app is not installed on ${repository}.`, "Install it, and run this again.");
}
