// Decides what of a clone is missing or older than what it was made from. It looks and remembers; it installs and builds nothing.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
const write = (path, text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** What an installation depends on: the lock, and the Node whose native modules were compiled. */
const installStamp = (root) =>
  `${sha256(readFileSync(join(root, 'package-lock.json')))} ${process.versions.modules} ${process.platform} ${process.arch}`;
const installFile = (root) => join(root, 'node_modules', '.drawbridge-stamp');

export function isInstalled(root) {
  const npmsOwn = join(root, 'node_modules', '.package-lock.json');
  // npm writes its own lock last: without it an installation was cut short.
  if (!existsSync(npmsOwn)) return false;
  const stamp = read(installFile(root));
  if (stamp !== null) return stamp === installStamp(root);
  return statSync(npmsOwn).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
}

export const rememberInstalled = (root) => write(installFile(root), installStamp(root));

/** A build is what it was made from and the file that proves that it was made: `{ name, sources, result }`, paths in the clone. */
export const isBuilt = (root, build) =>
  existsSync(join(root, build.result)) && read(buildFile(root, build)) === fingerprint(root, build.sources);

export const rememberBuilt = (root, build) => write(buildFile(root, build), fingerprint(root, build.sources));

const buildFile = (root, { name }) => join(root, 'dist', `.${name}-stamp`);

/** Every source with its size and time, so that an added, changed and removed file all count. */
function fingerprint(root, sources) {
  const lines = sources
    .flatMap((source) => filesUnder(join(root, source)))
    .map((file) => {
      const { size, mtimeMs } = statSync(file);
      return `${file} ${size} ${mtimeMs}`;
    });
  return sha256(lines.join('\n'));
}

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.name.includes('.test.'))
    .flatMap((entry) => filesUnder(join(path, entry.name)))
    .sort();
}
