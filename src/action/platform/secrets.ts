import * as core from "@actions/core";

/** Shorter texts are never masked: the platform drops every output with a masked part in it. */
const SHORTEST = 8;

const masked = new Set<string>();

/** Makes the platform hide a secret in every log line of this job from now on. */
export function maskSecret(secret: string | undefined): void {
  if (secret === undefined || secret.length < SHORTEST || masked.has(secret)) return;
  masked.add(secret);
  core.setSecret(secret);
}
