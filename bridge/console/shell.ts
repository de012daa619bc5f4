// The built console as files. A path from outside is matched, never joined raw: no dot segment, no dotfile, no escape can be spelled.
import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sha256 } from '../base/digest.ts';
import { safeHeaders } from '../base/http/headers.ts';

/** No inline script, no other origin, no markup from strings except through the one named policy. */
export const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html drawbridge-worker',
].join('; ');

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const compressible = /^(text\/|application\/(json|manifest)|image\/svg)/;

const FILE = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;
// Views live in the fragment, so a page is served at the root only: a missing script can never be answered with one (B34).
const HASHED = /^\/assets\//;
const FILE_LIMIT_BYTES = 32 * 1024 * 1024;
const FILES_KEPT_MAX = 256;

interface Kept {
  stamp: string;
  etag: string;
  bytes: Buffer;
  zipped: Buffer | null;
}

export interface Shell {
  answer(request: Request): Promise<Response>;
}

export function createShell(webDir: string): Shell {
  const kept = new Map<string, Kept>();

  async function load(path: string): Promise<Kept | null> {
    const file = await openFile(join(webDir, ...path.split('/')));
    if (file === null) return null;
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > FILE_LIMIT_BYTES) return null;
      const known = kept.get(path);
      if (known?.stamp === stampOf(stats)) return known;
      const fresh = await keepable(await file.readFile(), path, stampOf(stats));
      if (kept.size >= FILES_KEPT_MAX) kept.clear();
      kept.set(path, fresh);
      return fresh;
    } finally {
      await file.close();
    }
  }

  return {
    async answer(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return plain(405, 'Only GET and HEAD are answered here.', { allow: 'GET, HEAD' });
      const { pathname } = new URL(request.url);
      const path = pathname === '/' ? '/index.html' : pathname;
      const file = FILE.test(path) ? await load(path) : null;
      if (file !== null) return fileAnswer(request, path, file);
      return path === '/index.html' ? plain(503, 'The console is not built; run "npm run build".') : plain(404, 'There is no such file.');
    },
  };
}

async function openFile(path: string) {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

const stampOf = (stats: Stats): string => `${stats.ino}-${stats.size}-${stats.mtimeMs}`;
const typeOf = (path: string): string => types[extname(path)] ?? 'application/octet-stream';

async function keepable(bytes: Buffer, path: string, stamp: string): Promise<Kept> {
  const zipped = compressible.test(typeOf(path)) ? await promisify(gzip)(bytes) : null;
  return { stamp, etag: `"${sha256(bytes).slice(0, 32)}"`, bytes, zipped };
}

function fileAnswer(request: Request, path: string, file: Kept): Response {
  const headers: Record<string, string> = {
    ...safeHeaders,
    'cache-control': HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': CONTENT_POLICY,
    'content-type': typeOf(path),
    etag: file.etag,
    vary: 'Accept-Encoding',
  };
  if (request.headers.get('if-none-match') === file.etag) return new Response(null, { status: 304, headers });
  const isZipped = file.zipped !== null && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  const bytes = isZipped && file.zipped !== null ? file.zipped : file.bytes;
  if (isZipped) headers['content-encoding'] = 'gzip';
  headers['content-length'] = String(bytes.length);
  return new Response(request.method === 'HEAD' ? null : new Uint8Array(bytes), { headers });
}

const plain = (status: number, words: string, headers: Record<string, string> = {}): Response =>
  new Response(`${words}\n`, {
    status,
    headers: { ...safeHeaders, 'content-security-policy': CONTENT_POLICY, 'content-type': 'text/plain; charset=utf-8', ...headers },
  });
