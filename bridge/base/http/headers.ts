// The headers that every answer of every listener carries, whatever it answers.

/** No sniffing, no referrer, no framing, no use from another origin, and nothing kept unless a route says so. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** A JSON answer with the safe headers. */
export const jsonAnswer = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { ...safeHeaders, 'content-type': 'application/json', ...headers } });
