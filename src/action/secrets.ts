import * as core from "@actions/core";
import { withoutMarkdown } from "../shared/foreign-text.ts";

/** Shorter texts are never masked: the platform drops every output with a masked part in it. */
const SHORTEST = 8;

const masked = new Set<string>();

/**
 * Makes the platform hide a secret in every log line and summary of this job from now on. In a
 * summary foreign text is written without its Markdown, and so would be a secret in it.
 */
export function maskSecret(secret: string | undefined): void {
  if (secret === undefined || secret.length < SHORTEST || masked.has(secret)) return;
  masked.add(secret);
  core.setSecret(secret);
  const escaped = withoutMarkdown(secret, secret.length);
  if (escaped !== secret) core.setSecret(escaped);
}
