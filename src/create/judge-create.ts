import { isKeyRefused, type RawAnswer } from "../vast/judge-status.ts";
import { readCreateAnswer } from "../vast/read-create-answer.ts";
import { UnexpectedAnswerError } from "../vast/service-errors.ts";

/** The meaning of an answer to *create instance*. */
export type CreateVerdict =
  | { kind: "created"; id: number }
  /** An instance came that was not asked for in this form, such as a stopped one: destroy it. */
  | { kind: "unwanted"; id: number; sentence: string }
  /** Somebody else has the machine: the next offer may do. */
  | { kind: "gone"; sentence: string }
  /** Not carried out: the same offer may be asked for again. */
  | { kind: "too-fast" }
  | { kind: "no-credit"; sentence: string }
  /** The account is new, and may not have machines for so much an hour yet. */
  | { kind: "spends-too-fast"; sentence: string }
  /** The service has no template of that hash. */
  | { kind: "no-template"; sentence: string }
  /** The request's or the account's fault: every offer would be refused like it. */
  | { kind: "refused"; sentence: string }
  /** An instance may exist or come to exist. */
  | { kind: "uncertain"; sentence: string };

interface Told {
  says: RegExp;
  kind: "gone" | "no-credit" | "spends-too-fast" | "no-template" | "refused";
}

/** The service's sentences, whatever the status. The first that fits holds. */
const BY_SENTENCE: readonly Told[] = [
  { says: /insufficient_credit|lacks credit/i, kind: "no-credit" },
  { says: /spend_rate_limit/i, kind: "spends-too-fast" },
  { says: /no_such_ask/i, kind: "gone" },
  // SPEC-SILENT: the answer to a volume that is unknown, or on another machine. No other offer
  // would do better.
  { says: /\bvolume\b|no_such_volume/i, kind: "refused" },
  // SPEC-SILENT: the answer for an unknown template_hash_id; taken to say "template", and not to be
  // told from a taken offer by its status.
  { says: /template/i, kind: "no-template" },
  // SPEC-SILENT: status and body of a taken offer. Seen: 404, 410, 400 and 200 with success:false,
  // told by these words.
  { says: /not available|no longer available|no longer rentable/i, kind: "gone" },
  // SPEC-SILENT: the sentence for a bid that is too low by now, when nothing was made of it.
  // Another offer may have a lower floor.
  { says: /bid\b.*\b(below|too low|less than|minimum)/i, kind: "gone" },
];

/** Judges an answer to *create instance*: its id first, as errors were seen to carry one, too. */
export function judgeCreate(answer: RawAnswer): CreateVerdict {
  const read = readCreateAnswer(answer);
  if (read.kind === "created") return { kind: "created", id: read.id };
  const { error } = read;
  if (error instanceof UnexpectedAnswerError)
    return { kind: "uncertain", sentence: "the answer carries no instance id" };
  return read.kind === "unwanted"
    ? { kind: "unwanted", id: read.id, sentence: error.sentence }
    : judgeRefusal(answer, error.sentence);
}

function judgeRefusal({ status, json }: RawAnswer, sentence: string): CreateVerdict {
  if (status === 429) return { kind: "too-fast" };
  // 408 is a gateway's word that it waited too long: what became of the request is not known.
  if (status >= 500 || status === 408) return { kind: "uncertain", sentence: `${status}: ${sentence}` };
  if (isKeyRefused(status, sentence)) return { kind: "refused", sentence };
  const told = BY_SENTENCE.find(({ says }) => says.test(sentence));
  if (told) return { kind: told.kind, sentence };
  if (status === 404 || status === 410) return { kind: "gone", sentence };
  // A page that is not the service's own says nothing of what the service did.
  return json === undefined ? { kind: "uncertain", sentence: `${status}: ${sentence}` } : { kind: "refused", sentence };
}
