import { describe, expect, test } from "vitest";
import { judgeFailure } from "../../../src/github/github-client.ts";
import { GithubRefusedError, GithubTokenError } from "../../../src/github/github-errors.ts";
import { UserError } from "../../../src/shared/user-error.ts";

const need = { input: "github-token" as const, task: "register runners", remedy: "Grant Administration: write." };

function refused(status: number, message: string | undefined, workedAt?: number): UserError {
  const error = Object.assign(new Error("Unknown error: {}"), { status, response: { data: { message }, headers: {} } });
  try {
    judgeFailure({ need, route: "POST /x" }, error, 0, workedAt);
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown;
  }
  throw new Error("it was no refusal");
}

describe("a 403 that no right of the token would change", () => {
  test.each([
    [
      "the `octo` organization has an IP allow list enabled, and your IP address",
      /IP allow list .*rented machines, too/,
    ],
    ["Resource protected by organization SAML enforcement. You must grant", /Configure SSO/],
    ["`octo` forbids access via a personal access token (classic). Please use", /forbids tokens of this kind/],
    ["forbids access via a fine-grained personal access tokens if the token's lifetime is", /shorter lifetime/],
    ["Repository was archived so is read-only.", /unarchive it/],
    ["This installation has been suspended", /unsuspend/],
    ["GitHub Actions has been disabled for this repository.", /Settings, Actions, General/],
    ["Repository level self-hosted runners are disabled for this repository", /owner has to allow them/],
    ["GitHub Actions are currently disabled for this repository.", /Settings, Actions, General/],
    ["the `octo` organization has enabled OAuth App access restrictions, meaning", /forbids tokens of this kind/],
  ])("%s", (sentence, hint) => {
    const error = refused(403, sentence);
    expect(error).toBeInstanceOf(GithubTokenError);
    expect(error.hint).toMatch(hint);
    expect(error.hint).not.toContain("Administration");
  });

  test.each([
    "Unable to retry this workflow run because it was created over a month ago",
    "The workflow run cannot be re-run",
  ])("a re-run that is refused is no missing right: %s", (sentence) => {
    const error = refused(403, sentence);
    expect(error).toBeInstanceOf(GithubRefusedError);
    expect(error.hint).toMatch(/start a new one/);
  });

  test.each([undefined, ""])("without a sentence (%j) a right may be missing, or a rule in the way", (sentence) => {
    const error = refused(403, sentence);
    expect(error.hint).toMatch(/^Grant Administration: write\. GitHub named no reason/);
    expect(error.message).not.toContain(": )");
  });

  test("any other sentence is about the right", () => {
    expect(refused(403, "Resource not accessible by integration").hint).toBe(need.remedy);
  });
});

test("a 401 of a token that had worked says until when", () => {
  expect(refused(401, "Bad credentials").hint).toMatch(/mistyped, was revoked, or has expired/);
  const worked = refused(401, "Bad credentials", Date.parse("2026-11-26T14:05:59Z"));
  expect(worked.hint).toMatch(/^The token worked until 14:05 UTC: a GitHub App's token lasts an hour/);
});
