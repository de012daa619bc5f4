// What a child process may know of our environment: a named list, so that no secret in it is ever inherited.

/** Enough to find programs and to write text and temporary files; nothing that opens a door. */
const inherited = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TERM'];
/** Windows programs do not start without these. */
const inheritedOnWindows = [
  'SystemRoot',
  'SystemDrive',
  'windir',
  'ComSpec',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'LOCALAPPDATA',
  'APPDATA',
];

/** The part of `source` a child is given, with `extra` names allowed on top. */
export function childEnvironment(extra: readonly string[] = [], source: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const names = [...inherited, ...(process.platform === 'win32' ? inheritedOnWindows : []), ...extra];
  const entries = names.flatMap((name) => {
    const value = source[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}
