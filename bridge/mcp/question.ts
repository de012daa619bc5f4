// A refusal that waits for the owner, put as a question: a client that can open an address is sent the console's page for it.
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Envelope } from '#shared/envelope.ts';

/**
 * null: the refusal is the answer. A client is asked once a call: it calls again when its user has opened the page.
 */
export function questionOf(
  { error }: Envelope,
  { mcpReq }: ServerContext,
  declared: ClientCapabilities | undefined,
): InputRequiredResult | null {
  const url = error?.code === 'APPROVAL_REQUIRED' ? error.detail?.['address'] : undefined;
  // The SDK has checked the envelope of a 2026-07-28 request and gives it without a type.
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? declared;
  const isAsked = mcpReq.inputResponses !== undefined;
  if (typeof url !== 'string' || error === null || isAsked || capabilities?.elicitation?.url === undefined) return null;
  return inputRequired({ inputRequests: { approval: inputRequired.elicitUrl({ message: error.message, url }) } });
}

/** The request that the user went to answer at the page: whoever asks again now is there to wait for it. */
export function awaitedBy({ error }: Envelope, { mcpReq }: ServerContext): string | null {
  const responses = mcpReq.inputResponses as Record<string, { action?: unknown } | undefined> | undefined;
  const approvalId = error?.code === 'APPROVAL_REQUIRED' ? error.detail?.['approvalId'] : undefined;
  return responses?.['approval']?.action === 'accept' && typeof approvalId === 'string' ? approvalId : null;
}
