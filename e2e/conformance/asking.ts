// The suite's tools that ask the client before they answer: in the 2026 era by asking back, and the same, as requests, in a 2025 session.
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { said, type SuiteTool } from './content.ts';

type Schema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];
type Properties = Extract<Schema, { properties: unknown }>['properties'];

/** What a tool carries from one round to the next goes through the client, so it is sealed. */
const seal = createRequestStateCodec<{ round: number }>({ key: crypto.getRandomValues(new Uint8Array(32)) });

async function opened(context: ServerContext): Promise<{ round: number } | null> {
  const state = context.mcpReq.requestState<string>();
  if (state === undefined) return null;
  try {
    return await seal.verify(state, context);
  } catch (cause) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The state was changed on its way.', { cause: String(cause) });
  }
}

const form = (message: string, properties: Properties) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } });
const choices = (message: string, properties: Properties) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: [] } });
const completion = (text: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 });

const named = () => form('What is your name?', { name: { type: 'string' } });
const confirmed = () => form('Please confirm', { ok: { type: 'boolean' } });

/** Asks once for all of these, and answers with what came. A response that is none is asked for again. */
function asks(description: string, requests: (args: Record<string, unknown>) => InputRequests, hasState = false): SuiteTool {
  return {
    description,
    async call(context, args) {
      const inputRequests = requests(args);
      const state = await opened(context);
      const responses = Object.keys(inputRequests).map((name) => inputResponse(context.mcpReq.inputResponses, name));
      const isAnswered = responses.every((response) => response.kind !== 'missing') && (!hasState || state !== null);
      if (isAnswered) return said(`${hasState ? 'state-ok: ' : ''}${JSON.stringify(responses)}`);
      return inputRequired({ inputRequests, ...(hasState ? { requestState: await seal.mint({ round: 1 }) } : {}) });
    },
  };
}

const titled = (names: readonly string[]) => names.map((title, index) => ({ const: `value${index + 1}`, title }));
const options = ['option1', 'option2', 'option3'];

const kindsOfChoice: Properties = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled(['First Option', 'Second Option', 'Third Option']) },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled(['First Choice', 'Second Choice', 'Third Choice']) } },
};

const defaults: Properties = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const ofBothEras: Record<string, SuiteTool> = {
  test_sampling: asks('Asks the client for a completion.', ({ prompt }) => ({ completion: completion(String(prompt)) })),
  test_elicitation: asks('Asks the user for two words.', ({ message }) => ({
    answer: form(String(message), { username: { type: 'string' }, email: { type: 'string' } }),
  })),
  test_elicitation_sep1034_defaults: asks('Proposes values of every kind.', () => ({ answer: choices('Please review', defaults) })),
  test_elicitation_sep1330_enums: asks('Offers choices of every kind.', () => ({ answer: choices('Please choose', kindsOfChoice) })),
};

const of2026: Record<string, SuiteTool> = {
  test_missing_capability: asks('Needs a client that completes.', () => ({ completion: completion('Say pong') })),
  test_input_required_result_elicitation: {
    description: 'Asks the user for a name until there is one.',
    call({ mcpReq }) {
      const name = acceptedContent<{ name?: unknown }>(mcpReq.inputResponses, 'user_name')?.name;
      return Promise.resolve(typeof name === 'string' ? said(`Hello, ${name}!`) : inputRequired({ inputRequests: { user_name: named() } }));
    },
  },
  test_input_required_result_sampling: asks('Asks for a completion.', () => ({
    capital_question: completion('What is the capital of France?'),
  })),
  test_input_required_result_list_roots: asks('Asks for the roots.', () => ({ client_roots: inputRequired.listRoots() })),
  test_input_required_result_request_state: asks('Asks, with a sealed state.', () => ({ confirm: confirmed() }), true),
  test_input_required_result_tampered_state: asks('Refuses a state that was changed.', () => ({ confirm: confirmed() }), true),
  test_input_required_result_multiple_inputs: asks(
    'Asks three things at once.',
    () => ({ user_name: named(), greeting: completion('Generate a greeting'), client_roots: inputRequired.listRoots() }),
    true,
  ),
  test_input_required_result_multi_round: {
    description: 'Asks twice, and knows from the state which time it is.',
    async call(context) {
      const round = (await opened(context))?.round ?? 0;
      if (round === 2) return said(`Multi-round complete: ${JSON.stringify(context.mcpReq.inputResponses)}`);
      const inputRequests: InputRequests =
        round === 0 ? { step1: named() } : { step2: form('Which colour?', { color: { type: 'string' } }) };
      return inputRequired({ inputRequests, requestState: await seal.mint({ round: round + 1 }) });
    },
  },
  test_input_required_result_capabilities: {
    description: 'Asks only what the client said it can answer.',
    call({ mcpReq }) {
      if (mcpReq.inputResponses !== undefined) return Promise.resolve(said('Answered.'));
      const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined;
      const can = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
      const inputRequests: InputRequests = {
        ...(can.elicitation === undefined ? {} : { user_name: named() }),
        ...(can.sampling === undefined ? {} : { greeting: completion('Generate a greeting') }),
        ...(can.roots === undefined ? {} : { client_roots: inputRequired.listRoots() }),
      };
      return Promise.resolve(Object.keys(inputRequests).length === 0 ? said('There is nothing to ask.') : inputRequired({ inputRequests }));
    },
  },
};

export const askingTools: Record<string, SuiteTool> = { ...ofBothEras, ...of2026 };
