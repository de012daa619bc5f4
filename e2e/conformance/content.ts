// The suite's tools that only answer: each kind of content, notes along the way, an error, and schemas that must come through whole.
import { setTimeout as wait } from 'node:timers/promises';
import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from '@modelcontextprotocol/server';

/** One tool of the suite. Its name and what it does are the suite's words for what it looks at. */
export interface SuiteTool {
  description: string;
  inputSchema?: Tool['inputSchema'];
  call(context: ServerContext, args: Record<string, unknown>): CallToolResult | Promise<CallToolResult | InputRequiredResult>;
}

/** A picture of one pixel, and a sound of no sample. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA=';
const STEP_MS = 50;

export const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, text: string) => ({ type: 'resource' as const, resource: { uri, mimeType, text } });

const answering: Record<string, SuiteTool> = {
  test_simple_text: { description: 'Answers with text.', call: () => said('This is a simple text response for testing.') },
  test_image_content: { description: 'Answers with a picture.', call: () => ({ content: [image] }) },
  test_audio_content: {
    description: 'Answers with a sound.',
    call: () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] }),
  },
  test_embedded_resource: {
    description: 'Answers with a resource inside.',
    call: () => ({ content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')] }),
  },
  test_multiple_content_types: {
    description: 'Answers with several kinds of content.',
    call: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  },
  test_error_handling: {
    description: 'Fails, as a result that the model reads.',
    call: () => ({ ...said('This tool intentionally returns an error for testing'), isError: true }),
  },
  test_streaming_elicitation: { description: 'Answers and asks nothing.', call: () => said('Nothing was asked.') },
};

const telling: Record<string, SuiteTool> = {
  test_tool_with_logging: {
    description: 'Logs three lines while it works.',
    async call({ mcpReq }) {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
        await wait(STEP_MS);
      }
      return said('Three lines were logged.');
    },
  },
  test_logging_tool: {
    description: 'Logs only for a request that names a level.',
    async call({ mcpReq }) {
      await mcpReq.log('info', 'A line for whoever asked for lines.');
      return said('A line was logged if lines were asked for.');
    },
  },
  test_tool_with_progress: {
    description: 'Tells how far it is, to a client that gave a token.',
    async call({ mcpReq }) {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken === undefined) return said('No progress was asked for.');
      for (const progress of [0, 50, 100]) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
        await wait(STEP_MS);
      }
      return said(String(progressToken));
    },
  },
  test_reconnection: {
    description: 'Loses its stream before it answers, so that the client has to come back for the answer.',
    async call({ http }) {
      http?.closeSSE?.();
      await wait(2 * STEP_MS);
      return said('The client came back for this.');
    },
  },
};

const address = { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } };

const described: Record<string, SuiteTool> = {
  json_schema_2020_12_tool: {
    description: 'Shows words of JSON Schema 2020-12 that must not be lost.',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    call: (_context, args) => said(JSON.stringify(args)),
  },
  test_x_mcp_header: {
    description: 'Has an argument that a header repeats.',
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    call: (_context, { region }) => said(`region=${String(region)}`),
  },
};

export const contentTools: Record<string, SuiteTool> = { ...answering, ...telling, ...described };
