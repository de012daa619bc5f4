// Reads a request's body up to a limit that holds while it arrives, whatever length was announced.
import { Failed } from '../../failed.ts';
import { parseJson } from './json.ts';

/** The whole body. RESOURCE_LIMIT before the first byte beyond the limit is kept. */
export async function readBody(request: Request, limitBytes: number): Promise<Uint8Array> {
  // An announced length refuses early; the count below is what holds.
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The body as JSON. Only `application/json` is read: a form that another page can send is not. */
export async function readJson(request: Request, limitBytes: number): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Failed('INVALID_INPUT', 'The body must be application/json. Nothing was done.');
  return parseJson(decode(await readBody(request, limitBytes)));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Failed('INVALID_INPUT', 'The body is not UTF-8. Nothing was done.', { cause });
  }
}

const tooLarge = (limitBytes: number) =>
  new Failed('RESOURCE_LIMIT', `The body is larger than the ${limitBytes} bytes that are accepted here. Nothing was done.`, {
    retryable: false,
  });
