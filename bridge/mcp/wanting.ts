// Calls that their bearer's own scopes do not reach: put on the account as refused, and answered so that a client can sign in for more.
import type { Caller } from '../operation.ts';
import { askForMore, type Wanting } from './challenge.ts';
import type { SplitCall } from './context.ts';
import { catalogueOf, type FactoryParts, type Peer } from './factory.ts';
import { looks, rpcError } from './failure.ts';
import { idOf } from './message.ts';

type Parts = Pick<FactoryParts, 'invoke' | 'operations' | 'exposure'>;

interface Found extends Wanting {
  call: SplitCall;
  id: string | number | null;
}

/**
 * null: every call of the message is in reach of its bearer. What the owner narrowed beyond that (a project's ceiling, a
 * list of projects) no signing in can widen, and stays an answer of the call, which a model can read.
 */
export async function refuseWanting(
  parts: Parts,
  { body, caller, peer, url }: { body: unknown; caller: Caller; peer: Omit<Peer, 'caller'>; url: string },
): Promise<Response | null> {
  const found = (Array.isArray(body) ? body : [body]).flatMap((message) => wantingOf(parts, caller, message));
  const first = found[0];
  if (first === undefined) return null;
  const { listed } = catalogueOf(parts.operations, parts.exposure());
  // Judged by the same rights as here, so that none of them can begin.
  const answers = await Promise.all(found.map(({ call }) => parts.invoke({ ...call, ...peer, listed, caller: () => caller })));
  const failure = answers[0]?.envelope.error;
  if (failure === null || failure === undefined) throw new Error('A call beyond the rights of its caller was not refused.');
  const answer = rpcError(looks[failure.code].rpcCode, failure.message, first.id);
  return askForMore(found, caller.scopes, { url, body: { ...answer, error: { ...answer.error, data: failure } } });
}

function wantingOf({ operations, exposure }: Parts, { scopes }: Caller, message: unknown): Found[] {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown; arguments?: unknown } };
  const { name, arguments: args = {} } = params ?? {};
  if (method !== 'tools/call' || typeof name !== 'string' || typeof args !== 'object' || args === null) return [];
  const call = catalogueOf(operations, exposure()).split(name, args as Record<string, unknown>);
  if (call === null || 'refused' in call) return [];
  const scope = operations.find((operation) => operation.name === call.operation)?.contract.scope;
  return scope === undefined || scopes.has(scope) ? [] : [{ call, id: idOf(message), operation: call.operation, scope }];
}
