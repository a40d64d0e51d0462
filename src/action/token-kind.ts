/** The first letters of each kind of token; GitHub's documentation, "Token formats". */
const KINDS: readonly { prefix: string; kind: string }[] = [
  { prefix: "github_pat_", kind: "a fine-grained personal token" },
  { prefix: "ghp_", kind: "a classic personal token" },
  { prefix: "ghs_", kind: "a token of a GitHub App or of a workflow" },
  { prefix: "ghu_", kind: "a GitHub App's token for a person" },
  { prefix: "gho_", kind: "an OAuth token" },
];

/** Which kind a GitHub token is, in words. */
export function tokenKind(token: string): string {
  return KINDS.find(({ prefix }) => token.startsWith(prefix))?.kind ?? "of a kind that its form does not tell";
}
