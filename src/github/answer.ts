import { z } from "zod";
import type { GithubAnswer } from "./github-client.ts";
import { GithubUnavailableError } from "./github-errors.ts";

/** The data of an answer; one of another form is no evidence: throws GithubUnavailableError. */
export function readAnswer<T>(schema: z.ZodType<T>, { data }: GithubAnswer, task: string): T {
  const read = schema.safeParse(data);
  if (!read.success) throw new GithubUnavailableError(task, "the answer could not be read");
  return read.data;
}

/** A field that GitHub leaves out, or fills with null, where there is nothing to tell. */
export function optional<T>(type: z.ZodType<T>) {
  return type.nullish().transform((value) => value ?? undefined);
}

/** A moment in milliseconds since the epoch; undefined where it is not told. */
export const moment = z
  .string()
  .nullish()
  .transform((text) => Date.parse(text ?? "") || undefined);
