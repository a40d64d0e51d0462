import { randomBytes } from "node:crypto";
import type { Permission } from "../../scenario/fault.ts";

/** One key of the account. */
export interface ApiKeyRecord {
  readonly id: number;
  readonly name: string;
  /** The secret. */
  key: string;
  /** Undefined: full access. */
  readonly scopes: readonly Permission[] | undefined;
  /** The user that got it as a member of the team; it dies with the membership. */
  readonly member: number | undefined;
  /** The account's first key, or one that was made later. Only those can be deleted. */
  readonly kind: "primary" | "made";
  /** Deleting is soft. */
  isDeleted: boolean;
}

type NewKey = Pick<ApiKeyRecord, "name" | "scopes"> & { key?: string; member?: number | undefined };

const FIRST_ID = 9001;

/** The keys of the account, deleted ones included. */
export class ApiKeys {
  readonly records: ApiKeyRecord[];

  constructor(primary: string) {
    const none = { scopes: undefined, member: undefined, isDeleted: false };
    this.records = [{ id: FIRST_ID, name: "primary", key: primary, kind: "primary", ...none }];
  }

  /** Adds a key; its secret is drawn unless it is given. */
  add({ name, key = newSecret(), scopes, member }: NewKey): ApiKeyRecord {
    const id = FIRST_ID + this.records.length;
    const record: ApiKeyRecord = { id, name, key, scopes, member, kind: "made", isDeleted: false };
    this.records.push(record);
    return record;
  }

  /** The living keys. */
  all(): ApiKeyRecord[] {
    return this.records.filter(({ isDeleted }) => !isDeleted);
  }

  /** The living key that is meant. */
  find(isMeant: (each: ApiKeyRecord) => boolean): ApiKeyRecord | undefined {
    return this.all().find(isMeant);
  }

  /** Gives a key another secret; the old one is refused from now on. */
  reset(record: ApiKeyRecord): string {
    record.key = newSecret();
    return record.key;
  }

  /** Revokes the keys that a user had as a member of the team. */
  revokeOf(member: number): void {
    for (const record of this.records) if (record.member === member) record.isDeleted = true;
  }
}

/** A secret as the service draws them. */
export function newSecret(): string {
  return randomBytes(32).toString("hex");
}
