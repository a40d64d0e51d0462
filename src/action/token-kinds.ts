/** The first letters of each kind of token, and whether it expires within the day; GitHub's documentation, "Token formats". */
const KINDS: readonly { prefix: string; kind: string; expires?: true }[] = [
  { prefix: "github_pat_", kind: "a fine-grained personal token" },
  { prefix: "ghp_", kind: "a classic personal token" },
  { prefix: "ghs_", kind: "a token of a GitHub App or of a workflow", expires: true },
  { prefix: "ghu_", kind: "a GitHub App's token for a person", expires: true },
  { prefix: "gho_", kind: "an OAuth token" },
];

/** Says of which kind a token is, by its form. */
export function describeToken(token: string): string {
  return kindOfToken(token)?.kind ?? "of a kind that its form does not show";
}

/** True if the token may expire before a long run is over. */
export function expiresSoon(token: string): boolean {
  return kindOfToken(token)?.expires === true;
}

function kindOfToken(token: string) {
  return KINDS.find(({ prefix }) => token.startsWith(prefix));
}
