/** What GitHub says where it is no missing right that it refuses for. */
interface RefusalRow {
  says: RegExp;
  /** `remedy`: what the token would need. */
  hint: string | ((remedy: string) => string);
  /** No token would be let do this. */
  isOfTask?: true;
}

const OWNER = "an organisation owner";

/** The sentences of GitHub's refusals, other than that a right is missing. The first match counts. */
const REFUSAL_ROWS: readonly RefusalRow[] = [
  {
    says: /\bIP allow list\b/i,
    hint: `The organisation's IP allow list shuts out the computer of this job. It shuts out rented machines, too, whose addresses nobody knows before: use a repository without such a list, or ask ${OWNER}.`,
  },
  {
    says: /\bSAML\b|single sign-on/i,
    hint: "Authorize the token for the organisation: Settings, Developer settings, the token's Configure SSO. A GitHub App's token needs none of that.",
  },
  {
    says: /lifetime/i,
    hint: "The organisation allows only tokens that end sooner: make one with a shorter lifetime, or use a GitHub App.",
  },
  {
    says: /forbids access via a (?:personal access token|fine-grained)|OAuth App access restrictions/i,
    hint: `The organisation forbids tokens of this kind: use a GitHub App, or the other kind of personal access token, or ask ${OWNER}.`,
  },
  {
    says: /\barchived\b/i,
    hint: "The repository is archived, and nothing runs there: unarchive it in its settings.",
  },
  {
    says: /\bsuspended\b/i,
    hint: "The GitHub App or its user is suspended: unsuspend the App's installation in the settings of its owner.",
  },
  {
    says: /actions (?:is|are|has been|have been) (?:\w+ )?(?:disabled|enabled)/i,
    hint: `GitHub Actions is off here: turn it on in Settings, Actions, General, or ask ${OWNER}.`,
  },
  {
    says: /runners (?:is|are|have been) (?:\w+ )?(?:disabled|not allowed)/i,
    hint: `The organisation forbids self-hosted runners for this repository: ${OWNER} has to allow them.`,
  },
  {
    says: /(?:unable to|can ?not|can't|could not) (?:be )?(?:retr(?:y|ied)|re-?run)|(?:number of|not) re-?run|already running|over a month ago/i,
    hint: "GitHub lets nobody re-run this run: start a new one.",
    isOfTask: true,
  },
  {
    says: /^(?:no reason given|unknown error\b.*|forbidden)$/i,
    hint: (remedy) => `${remedy} GitHub named no reason: if the right is there, ask ${OWNER} for a rule against it.`,
  },
];

/** Returns what GitHub's sentence means beyond a missing right. Undefined: nothing. */
export function refusalRow(sentence: string): RefusalRow | undefined {
  return REFUSAL_ROWS.find(({ says }) => says.test(sentence));
}

/** Says what to do about a refusal, by GitHub's sentence. */
export function refusalHint(sentence: string, remedy: string): string {
  const { hint = remedy } = refusalRow(sentence) ?? {};
  return typeof hint === "string" ? hint : hint(remedy);
}
