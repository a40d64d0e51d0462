import { randomBytes } from "node:crypto";
import { privateKey } from "./app-api.ts";
import { again } from "./change.ts";
import type { Context } from "./context.ts";
import { type Facts, findSecret, type Repository } from "./facts.ts";
import { GithubError, partOf, repositoryPath } from "./gh.ts";
import { hintOf } from "./service.ts";
import { SetupError, wordsOf } from "./setup-error.ts";
import { type Registration, rightOf, type Settings } from "./workflows.ts";

/** How runners get registered, and what was given for that. */
export interface Registering {
  /** A token was given, or an app is to be made, or the key of one was given. */
  how: "token" | "new-app" | "app-key" | "as-it-is";
  register: Registration;
  runnerGroupId?: number | undefined;
  token?: string;
  pem?: string;
}

/** Decides what registers the runners: what was given, else what is there, else what a person chooses. */
export async function decideRegistration(context: Context, facts: Facts, settings: Settings): Promise<Registering> {
  return (
    (await given(context, facts, settings)) ??
    existing(context, facts, settings) ??
    (await chosen(context, facts, settings))
  );
}

async function given(context: Context, facts: Facts, settings: Settings): Promise<Registering | undefined> {
  const { appClientId } = settings;
  const { options, secrets, variable } = context;
  const token = variable("RUNNER_TOKEN");
  const pem = variable("APP_PRIVATE_KEY");
  if (token !== undefined && options.register !== "app") {
    await prove(context, facts, secrets.keep(token), settings.runnerGroupId);
    return { how: "token", register: "token", token: token.trim() };
  }
  if (pem === undefined || options.register === "token") return undefined;
  if (appClientId === undefined)
    throw new SetupError("APP_PRIVATE_KEY was given, and not whose it is.", "Give --app-client-id, too.");
  const key = secrets.keep(pem);
  // Before anything is made.
  privateKey(key);
  return { how: "app-key", register: "app", pem: key };
}

function existing({ options }: Context, facts: Facts, { appClientId }: Settings): Registering | undefined {
  const wants = (how: Registration) => options.register === undefined || options.register === how;
  if (wants("token") && findSecret(facts, "RUNNER_TOKEN")) return { how: "as-it-is", register: "token" };
  if (wants("app") && findSecret(facts, "APP_PRIVATE_KEY") && appClientId !== undefined)
    return { how: "as-it-is", register: "app" };
  return undefined;
}

async function chosen(context: Context, facts: Facts, settings: Settings): Promise<Registering> {
  const { runnerGroupId } = settings;
  const { note, options, questions, screen } = context;
  for (const { page, slug, state } of note.apps.filter(({ state }) => state === "asked" || state === "made"))
    screen.say(
      state === "asked"
        ? `  An earlier start asked for the app ${slug}. If GitHub says that its name is taken, delete it first: ${page}`
        : `  An earlier start made the app ${slug}, and its key is lost. Make another key on its page, and run this with APP_PRIVATE_KEY; or delete it: ${page}`,
    );
  if (!questions.asks && options.register !== "app" && !options.dryRun)
    throw new SetupError(
      "Nothing was given that may register runners. Nothing was changed.",
      "Set RUNNER_TOKEN to a token (docs/init.md says which), or take --register app, which needs two clicks.",
    );
  const how = options.register ?? (await askHow(questions, facts, runnerGroupId));
  if (how === "org-app") return { how: "new-app", register: "app", runnerGroupId: runnerGroupId ?? DEFAULT_GROUP };
  if (how === "app") return { how: "new-app", register: "app", runnerGroupId };
  if (!questions.asks) return { how: "token", register: "token" };
  return { how: "token", register: "token", token: await askToken(context, facts, settings) };
}

const DEFAULT_GROUP = 1;

/** A group admits public repositories only where somebody allowed that, so it is proposed for private ones. */
async function askHow(questions: Context["questions"], { repository }: Facts, group: number = DEFAULT_GROUP) {
  const isOrganisation = repository.owner.type === "Organization";
  const ofOrganisation = {
    value: "org-app" as const,
    label: `A GitHub App that may register runners of ${repository.owner.login}, and nothing else`,
    hint: `two clicks; in its runner group ${group}, which must admit this repository`,
  };
  return await questions.choose<"org-app" | Registration>(
    "What registers the runners?",
    [
      ...(isOrganisation ? [ofOrganisation] : []),
      { value: "app", label: "A GitHub App of your own", hint: "two clicks; it does not expire" },
      { value: "token", label: "A fine-grained token", hint: "it expires, and acts as you" },
    ],
    isOrganisation && repository.private ? "org-app" : "app",
  );
}

/** The page that makes such a token, filled in as far as GitHub takes it. */
function tokenPage(web: string, { owner }: Facts["repository"], right: string): string {
  const query = new URLSearchParams({
    name: "gpu-runners",
    description: "Registers rented GPU machines as runners",
    target_name: owner.login,
    expires_in: "90",
    [right]: "write",
  });
  return `${web}/settings/personal-access-tokens/new?${query}`;
}

async function askToken(context: Context, facts: Facts, settings: Settings): Promise<string> {
  const { questions, screen, secrets, places } = context;
  screen.say(`  ${tokenPage(places.web, facts.repository, rightOf(settings))}`);
  screen.say(
    `  Only select repositories: ${facts.repository.full_name}. ${settings.runnerGroupId === undefined ? "Repository permissions: Administration" : "Organization permissions: Self-hosted runners"}, Read and write. Nothing else.`,
  );
  const ask = async () => {
    const token = secrets.keep(await questions.secret("The token"));
    await prove(context, facts, token, settings.runnerGroupId);
    return token;
  };
  return await again(context, ask, { says: hintOf });
}

/** A dry run proves nothing: that would register a runner. */
async function prove(context: Context, { repository }: Facts, token: string, runnerGroupId: number | undefined) {
  if (context.options.dryRun) return;
  await proveToken(context, repository, { runnerGroupId, token });
  context.screen.say("  ✓ The token registered a runner, and deleted it.");
}

/** Proves that a token may register runners: registers one that nobody starts, and deletes it. */
export async function proveToken(
  { gh, secrets }: Context,
  { full_name, owner }: Repository,
  { runnerGroupId, token }: { runnerGroupId?: number | undefined; token: string },
): Promise<void> {
  const home = runnerGroupId === undefined ? repositoryPath(full_name) : `orgs/${partOf(owner.login)}`;
  const runners = `${home}/actions/runners`;
  const name = `gpu-setup-${randomBytes(4).toString("hex")}`;
  const right =
    runnerGroupId === undefined
      ? `Administration: Read and write on ${full_name}`
      : `the organisation's Self-hosted runners: Read and write, and the group ${runnerGroupId}`;
  /** A token that GitHub does not know lacks no right. */
  const wayOf = (fault: unknown) =>
    fault instanceof GithubError && fault.status === 401
      ? "GitHub does not know this token: it ended, was revoked, or is not whole. Make a new one."
      : `It needs ${right}, and an organisation may have to approve it first.`;
  const body = { name, runner_group_id: runnerGroupId ?? 1, labels: [name], work_folder: "_work" };
  const path = `${runners}/generate-jitconfig`;
  const registered = await gh
    .ask<{ runner: { id: number }; encoded_jit_config: string }>(
      { method: "POST", path, body, to: "register a runner" },
      token,
    )
    .catch((fault: unknown) => {
      throw new SetupError(`The token can't register runners. ${wordsOf(fault)}`, wayOf(fault), fault);
    });
  secrets.keep(registered.encoded_jit_config);
  const made = `${runners}/${registered.runner.id}`;
  await gh.ask({ method: "DELETE", path: made, to: "delete the runner again" }, token).catch((fault: unknown) => {
    const says = `The token registered the runner ${name}, and can't delete it. ${wordsOf(fault)}`;
    throw new SetupError(says, "Delete it by hand: Settings, Actions, Runners. It was never started.", fault);
  });
}
