// Everything under /api: no route but the one that spends a link is entered without a session, unknown routes included.
import { z } from 'zod';
import { CallContext } from '#shared/envelope.ts';
import { readJson } from '../base/http/body.ts';
import type { Arrived } from '../base/http/serve.ts';
import { Failed } from '../failed.ts';
import { normalise } from '../invocation/normalise.ts';
import { envelopeAnswer, failureAnswer } from './failure.ts';
import type { ConsoleParts } from './parts.ts';
import { closeSession, openSession, requireCsrf, requireSession, tellSession } from './session-api.ts';

// The pipeline's own limit on arguments is 16 MiB; what wraps them is small.
const BODY_LIMIT_BYTES = 17 * 1024 * 1024;
const CALL = /^\/api\/call\/([a-z][a-z0-9_]{0,63})$/;
const CallBody = z.strictObject({ input: z.record(z.string(), z.unknown()).default({}), context: CallContext.default({}) });

/** Never throws: a refusal is an envelope with its status. */
export async function answerApi(parts: ConsoleParts, request: Request, from: Arrived): Promise<Response> {
  try {
    return await route(parts, request, from);
  } catch (thrown) {
    const failure = normalise(thrown, parts.log);
    const waitSeconds = failure.detail?.['retryAfterSeconds'];
    return failureAnswer(failure, typeof waitSeconds === 'number' ? { 'retry-after': String(waitSeconds) } : {});
  }
}

async function route(parts: ConsoleParts, request: Request, from: Arrived): Promise<Response> {
  refuseOtherSites(request);
  const { pathname, search } = new URL(request.url);
  const asked = `${request.method} ${pathname}`;
  if (asked === 'POST /api/session' && search === '') return openSession(parts, request, from);
  const secret = requireSession(parts, request, from);
  if (search !== '') throw new Failed('INVALID_INPUT', 'No route here takes a query. Nothing was done.');
  if (asked === 'GET /api/session') return tellSession(secret);
  if (asked === 'DELETE /api/session') return closeSession(parts, request, secret);
  const operation = request.method === 'POST' ? CALL.exec(pathname)?.[1] : undefined;
  if (operation === undefined) throw new Failed('NOT_FOUND', 'There is no such route.');
  return call(parts, request, { secret, operation });
}

// Cookies are shared between ports of one host, so a page of another local program counts as "same-site": only same-origin will do.
function refuseOtherSites(request: Request): void {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none')
    throw new Failed('FORBIDDEN', 'The request comes from another page. Nothing was done.');
}

async function call(
  parts: ConsoleParts,
  request: Request,
  { secret, operation }: { secret: string; operation: string },
): Promise<Response> {
  requireCsrf(request, secret);
  const body = CallBody.safeParse(await readJson(request, BODY_LIMIT_BYTES));
  if (!body.success)
    throw new Failed('INVALID_INPUT', 'The body must be { "input": {…}, "context": {…} } and nothing more. Nothing was done.');
  const { envelope } = await parts.invoke({
    operation,
    ...body.data,
    caller: () => ownerOf(parts, secret),
    surface: 'console',
    session: `console:${parts.sessions.find(secret)?.id ?? ''}`,
    signal: request.signal,
  });
  return envelopeAnswer(envelope);
}

// Asked again by the pipeline after every wait: a session that ended meanwhile has no rights left.
function ownerOf(parts: ConsoleParts, secret: string) {
  const session = parts.sessions.find(secret);
  if (session === null) throw new Failed('AUTH_REQUIRED', 'The session has ended.');
  return parts.access.ownerCaller(session.label);
}
