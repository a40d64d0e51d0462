import { createHmac, timingSafeEqual } from "node:crypto";

/** Characters of base64url that a signature keeps: 132 bits, and too few to look like a key in a log. */
const SIGNATURE_LENGTH = 22;
const SIGNED = /^1\.(?<signature>[\w-]{22})\.(?<value>.*)$/s;

/** Derives from a secret the key of one purpose: what it signs proves nothing for another. */
export function signingKey(secret: string, ...purpose: readonly string[]): Buffer {
  return hmac(secret, purpose);
}

/** Signs a value under a name, in a form that shows the value. */
export function sign(key: Buffer, name: string, value: string): string {
  return `1.${signatureOf(key, name, value)}.${value}`;
}

/** Returns the value that was signed under this name; undefined for any other text. */
export function verified(key: Buffer, name: string, text: string): string | undefined {
  const { signature = "", value = "" } = SIGNED.exec(text)?.groups ?? {};
  const isSigned =
    signature !== "" && timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(key, name, value)));
  return isSigned ? value : undefined;
}

function signatureOf(key: Buffer, name: string, value: string): string {
  return hmac(key, [name, value]).toString("base64url").slice(0, SIGNATURE_LENGTH);
}

/** Hashes texts as a list: no two lists read the same. */
function hmac(key: string | Buffer, texts: readonly string[]): Buffer {
  return createHmac("sha256", key).update(JSON.stringify(texts)).digest();
}
