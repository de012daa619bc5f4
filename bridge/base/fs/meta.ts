// What a regular file has besides its bytes: mode, owner, extended attributes. A replacement takes all of it over or is refused.
import { fchmodSync, fchownSync, fstatSync } from 'node:fs';
import { getAttributeSync, listAttributesSync, setAttributeSync } from 'fs-xattr';
import { Failed } from '../../failed.ts';

export interface Meta {
  mode: number;
  uid: number;
  gid: number;
  /** Values as base64. */
  xattrs: Record<string, string>;
}

/** A descriptor, and the path of the same file for systems on which a descriptor has none. */
export interface Held {
  fd: number;
  path: string;
}

/** Attributes the system itself gives to files; what it does not let us set it sets by its own rules. */
const OF_THE_SYSTEM = /^(security|system|trusted)\.|^com\.apple\./;
const WITHOUT_ATTRIBUTES: ReadonlySet<string> = new Set(['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
const NOT_ALLOWED: ReadonlySet<string> = new Set(['EPERM', 'EACCES', ...WITHOUT_ATTRIBUTES]);
const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? '';

/** On Linux the attributes are reached through the descriptor, so that no link put in the file's place is followed. */
const attributePath = ({ fd, path }: Held): string => (process.platform === 'linux' ? `/proc/self/fd/${fd}` : path);

export function readMeta(held: Held): Meta {
  const { mode, uid, gid } = fstatSync(held.fd);
  return { mode: mode & 0o7777, uid, gid, xattrs: readAttributes(attributePath(held)) };
}

function readAttributes(path: string): Record<string, string> {
  let names: string[];
  try {
    names = listAttributesSync(path);
  } catch (cause) {
    if (WITHOUT_ATTRIBUTES.has(codeOf(cause))) return {}; // A file system without attributes has none to keep.
    throw cause;
  }
  return Object.fromEntries(names.map((name) => [name, getAttributeSync(path, name).toString('base64')]));
}

/** Gives a fresh file what another one had. The mode comes last: a change of owner takes bits of it away. */
export function applyMeta(held: Held, meta: Meta): void {
  const fresh = fstatSync(held.fd);
  if (fresh.uid !== meta.uid || fresh.gid !== meta.gid) {
    try {
      fchownSync(held.fd, meta.uid, meta.gid);
    } catch (cause) {
      if (NOT_ALLOWED.has(codeOf(cause))) throw notKept('its owner', cause);
      throw cause;
    }
  }
  for (const [name, value] of Object.entries(meta.xattrs)) applyAttribute(attributePath(held), name, Buffer.from(value, 'base64'));
  fchmodSync(held.fd, meta.mode);
}

function applyAttribute(path: string, name: string, value: Buffer): void {
  try {
    setAttributeSync(path, name, value);
  } catch (cause) {
    if (!NOT_ALLOWED.has(codeOf(cause))) throw cause;
    if (!OF_THE_SYSTEM.test(name)) throw notKept(`its extended attribute ${JSON.stringify(name)}`, cause);
  }
}

const notKept = (what: string, cause: unknown): Failed =>
  new Failed('NOT_SUPPORTED', `The operating system does not allow a replacement of this file to keep ${what}. Nothing was changed.`, {
    cause,
  });
