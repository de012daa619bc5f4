// The rules of project paths, as pure functions of text: an accepted path can only name something below its root.

export type PathRefusal =
  | 'empty'
  | 'too_long'
  | 'too_deep'
  | 'nul'
  | 'malformed'
  | 'backslash'
  | 'absolute'
  | 'home'
  | 'drive'
  | 'parent'
  | 'short_name'
  | 'stream'
  | 'device'
  | 'drive_relative'
  | 'trailing_dot'
  | 'network'
  | 'wsl'
  | 'wsl_mount'
  | 'file_url'
  | 'outside';

export type PathVerdict = { ok: true; path: string } | { ok: false; refusal: PathRefusal; hint: string };
export type WindowsVerdict = { ok: true; relative: string; id: string } | { ok: false; refusal: PathRefusal; hint: string };

const MAX_CHARACTERS = 1024;
const MAX_SEGMENTS = 64;

const hints: Record<PathRefusal, string> = {
  empty: 'Use "." for the project root.',
  too_long: `A path has at most ${MAX_CHARACTERS} characters.`,
  too_deep: `A path has at most ${MAX_SEGMENTS} names.`,
  nul: 'A path holds no NUL.',
  malformed: 'A path is well-formed Unicode text.',
  backslash: 'Use "/" between names.',
  absolute: 'Use a path relative to the project root.',
  home: 'Use a path relative to the project root; "~" is not expanded.',
  drive: 'Use a path relative to the project root, without a drive letter.',
  parent: 'A path never goes up: ".." is refused in every spelling.',
  short_name: 'Use the long name; a short name such as PROJ~1 does not say which file it means.',
  stream: 'A path holds no ":" after the drive; alternate streams are refused.',
  device: 'This name belongs to a Windows device.',
  drive_relative: 'Write the path from the root of the drive, as in C:\\folder\\file.',
  trailing_dot: 'No name ends in a dot or a space; Windows would drop it and mean another file.',
  network: 'Use a folder on a local drive.',
  wsl: 'This folder is inside WSL: run the bridge in that distribution and use its own path there.',
  wsl_mount: 'This is how WSL spells a Windows drive: on Windows write C:\\folder for /mnt/c/folder.',
  file_url: 'Use the plain path instead of a file: address.',
  outside: 'Use a path inside the project.',
};

const refuse = (refusal: PathRefusal) => ({ ok: false, refusal, hint: hints[refusal] }) as const;

/** A path as every operation takes it: relative, "/" between names. Empty and "." names collapse; "." is the root. */
export function parseProjectPath(raw: string): PathVerdict {
  if (raw === '') return refuse('empty');
  if (raw.length > MAX_CHARACTERS) return refuse('too_long');
  if (raw.includes('\0')) return refuse('nul');
  if (!isWellFormed(raw)) return refuse('malformed');
  if (/^file:/i.test(raw)) return refuse('file_url');
  if (raw.includes('\\')) return refuse('backslash');
  if (raw.startsWith('/')) return refuse('absolute');
  const names = raw.split('/').filter((name) => name !== '' && name !== '.');
  const path = names.join('/') || '.';
  if (path.startsWith('~')) return refuse('home');
  if (/^[A-Za-z]:/.test(path)) return refuse('drive');
  if (names.length > MAX_SEGMENTS) return refuse('too_deep');
  if (names.some(goesUp)) return refuse('parent');
  return { ok: true, path };
}

/** ".." in any spelling. Nothing here decodes "%2e", but a path that relies on someone doing so is not an honest one. */
function goesUp(name: string): boolean {
  let text = name;
  for (let round = 0; round < 3; round += 1) {
    if (text.split(/[/\\]/).includes('..')) return true;
    text = text.replace(/%(2e|2f|5c|25)/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
  }
  return text.split(/[/\\]/).includes('..');
}

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

/** Orders paths as a walk meets them: name by name, so that a folder's files stand together. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return left === SLASH ? -1 : right === SLASH ? 1 : left - right;
  }
  return a.length - b.length;
}
const SLASH = 47;

const devices = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=$|[. ])/i;

/**
 * A Windows spelling of a path under `root` (`C:\Proj`), told by text alone. Two spellings of one file get one `id`;
 * a form whose file cannot be told from its text is refused with the way to write it.
 */
export function windowsPath(root: string, raw: string): WindowsVerdict {
  const base = absoluteNames(root);
  if (!base.ok) return base;
  const foreign = foreignForm(raw);
  if (foreign !== null) return refuse(foreign);
  const isAbsolute = /^(?:[\\/]{2}[?][\\/])?[A-Za-z]:/.test(raw);
  const full = isAbsolute ? absoluteNames(raw) : relativeNames(raw);
  if (!full.ok) return full;
  if (!isAbsolute) return named(base.names, full.names);
  const isInside = base.names.every((name, at) => upper(name) === upper(full.names[at] ?? ''));
  return isInside ? named(base.names, full.names.slice(base.names.length)) : refuse('outside');
}

type Names = { ok: true; names: string[] } | { ok: false; refusal: PathRefusal; hint: string };

function named(root: string[], names: string[]): WindowsVerdict {
  return { ok: true, relative: names.join('/') || '.', id: [...root, ...names].map(upper).join('\\') };
}

function absoluteNames(raw: string): Names {
  const match = /^(?:[\\/]{2}[?][\\/])?([A-Za-z]:)(.*)$/s.exec(raw);
  if (match === null) return refuse(foreignForm(raw) ?? 'drive_relative');
  const [, drive, rest] = match as unknown as [string, string, string];
  if (!/^[\\/]/.test(rest)) return refuse('drive_relative');
  const names = relativeNames(rest.slice(1));
  return names.ok ? { ok: true, names: [drive.toUpperCase(), ...names.names] } : names;
}

function relativeNames(raw: string): Names {
  if (raw.length > MAX_CHARACTERS) return refuse('too_long');
  if (!isWellFormed(raw)) return refuse('malformed');
  const names = raw.split(/[\\/]/).filter((name) => name !== '' && name !== '.');
  if (names.length > MAX_SEGMENTS) return refuse('too_deep');
  for (const name of names) {
    const refusal = wrongWithName(name);
    if (refusal !== null) return refuse(refusal);
  }
  return { ok: true, names };
}

function wrongWithName(name: string): PathRefusal | null {
  if (goesUp(name)) return 'parent';
  if (name.includes(':')) return 'stream';
  if (/[. ]$/.test(name)) return 'trailing_dot';
  if (devices.test(name)) return 'device';
  if (/~\d/.test(name) && isShortName(name)) return 'short_name';
  return /[\0-\x1f<>"|?*]/.test(name) ? 'malformed' : null;
}

/** 8.3: at most eight characters ending in "~" and digits, and at most three after one dot. */
function isShortName(name: string): boolean {
  return /^[^.]{1,6}~\d{1,6}(\.[^.]{0,3})?$/.test(name) && name.split('.')[0]!.length <= 8;
}

function foreignForm(raw: string): PathRefusal | null {
  if (raw === '') return 'empty';
  if (raw.includes('\0')) return 'nul';
  if (/^file:/i.test(raw)) return 'file_url';
  if (/^[\\/]{2}wsl(\.localhost|\$)[\\/]/i.test(raw) || /^[\\/]mnt[\\/]wsl/i.test(raw)) return 'wsl';
  if (/^\/mnt\/[A-Za-z](\/|$)/.test(raw)) return 'wsl_mount';
  if (/^[\\/]{2}\.[\\/]/.test(raw)) return 'device';
  if (/^[\\/]{2}(?![?][\\/][A-Za-z]:)/.test(raw)) return 'network';
  if (raw.startsWith('~')) return 'home';
  return /^[\\/](?![\\/])/.test(raw) ? 'drive_relative' : null;
}

/** NTFS compares one UTF-16 unit at a time, so "ß" stays what it is. */
function upper(name: string): string {
  let folded = '';
  for (let at = 0; at < name.length; at += 1) {
    const unit = name.charAt(at);
    const raised = unit.toUpperCase();
    folded += raised.length === 1 ? raised : unit;
  }
  return folded;
}
