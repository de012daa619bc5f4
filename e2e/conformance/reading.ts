// The suite's resources, prompts, completions and log level, which the product has none of.
import {
  acceptedContent,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { PIXEL } from './content.ts';

const texts: Record<string, string> = {
  'test://static-text': 'This is the content of the static text resource.',
  'test://watched-resource': 'Watched resource content',
};
const BINARY = 'test://static-binary';
const ONE_OF_MANY = /^test:\/\/template\/([^/]+)\/data$/;

function read(uri: string): ReadResourceResult {
  const text = texts[uri];
  if (text !== undefined) return { contents: [{ uri, mimeType: 'text/plain', text }] };
  if (uri === BINARY) return { contents: [{ uri, mimeType: 'image/png', blob: PIXEL }] };
  const id = ONE_OF_MANY.exec(uri)?.[1];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  return {
    contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }],
  };
}

export function addResources(server: Server): void {
  server.registerCapabilities({ resources: { subscribe: true, listChanged: true } });
  const resources = [...Object.keys(texts), BINARY].map((uri) => ({ uri, name: uri.slice('test://'.length), description: 'A resource.' }));
  server.setRequestHandler('resources/list', () => ({ resources }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', description: 'One resource for each id.' }],
  }));
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri));
  server.setRequestHandler('resources/subscribe', ({ params }) => (read(params.uri), {}));
  server.setRequestHandler('resources/unsubscribe', ({ params }) => (read(params.uri), {}));
}

interface SuitePrompt {
  description: string;
  names?: readonly string[];
  get(args: Record<string, string>, context: ServerContext): GetPromptResult | InputRequiredResult;
}

const say = (...contents: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});
const words = (text: string) => ({ type: 'text' as const, text });

const prompts: Record<string, SuitePrompt> = {
  test_simple_prompt: { description: 'Takes nothing.', get: () => say(words('This is a simple prompt for testing.')) },
  test_prompt_with_arguments: {
    description: 'Takes two words.',
    names: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => say(words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    description: 'Holds a resource.',
    names: ['resourceUri'],
    get: ({ resourceUri = '' }) =>
      say(
        { type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } },
        words('Please process the embedded resource above.'),
      ),
  },
  test_prompt_with_image: {
    description: 'Holds a picture.',
    get: () => say({ type: 'image', data: PIXEL, mimeType: 'image/png' }, words('Please analyze the image above.')),
  },
  test_input_required_result_prompt: {
    description: 'Asks before it answers.',
    get(_args, { mcpReq }) {
      const context = acceptedContent<{ context?: unknown }>(mcpReq.inputResponses, 'user_context')?.context;
      if (typeof context === 'string') return say(words(`Use the following context: ${context}`));
      const requestedSchema = { type: 'object' as const, properties: { context: { type: 'string' as const } }, required: ['context'] };
      const user_context = inputRequired.elicit({ message: 'What context should the prompt use?', requestedSchema });
      return inputRequired({ inputRequests: { user_context } });
    },
  },
};

export function addPrompts(server: Server): void {
  server.registerCapabilities({ prompts: { listChanged: true }, completions: {}, logging: {} });
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { description, names = [] }]) => ({
      ...{ name, description },
      arguments: names.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const prompt = prompts[params.name];
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no prompt of that name.');
    return prompt.get(params.arguments ?? {}, context);
  });
  server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['tester', 'testing'].filter((word) => word.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
}
