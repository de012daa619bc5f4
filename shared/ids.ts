// The forms of the identifiers that cross a wire. Opaque: nothing may be read out of one.
import { z } from 'zod';

export const ProjectId = z.string().regex(/^prj_[0-9a-hjkmnp-tv-z]{8,64}$/);
export const ChangesetId = z.string().max(128);
export const PlanId = z.string().max(128);
export const ApprovalId = z.string().max(128);
export const GrantId = z.string().max(128);
export const TokenId = z.string().max(128);

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A fresh `prefix_` id of 26 characters (130 random bits), from Crockford's base32 alphabet. */
export function newId(prefix: string): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(26));
  return `${prefix}_${Array.from(bytes, (byte) => ALPHABET[byte & 31]).join('')}`;
}
