// The product's own server with what the suite looks for put beside its tools. Nothing of the product is taken away or changed.
import { type CallToolResult, type InputRequiredResult, McpServer, type Server, type ServerEventBus } from '@modelcontextprotocol/server';
import type { FactoryParts } from '../../bridge/mcp/factory.ts';
import { askingTools } from './asking.ts';
import { contentTools, said, type SuiteTool } from './content.ts';
import { addPrompts, addResources } from './reading.ts';

/** The SDK compares headers with arguments only for a server of this class, and asks it for the schema. */
class Dressed extends McpServer {
  override readonly server: Server;
  readonly #tools: Record<string, SuiteTool>;

  constructor(server: Server, tools: Record<string, SuiteTool>) {
    super({ name: 'never-asked', version: '0' });
    this.server = server;
    this.#tools = tools;
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#tools[name]?.inputSchema;
  }
}

export function dressWith(bus: ServerEventBus): NonNullable<FactoryParts['dress']> {
  const announces = (kind: 'tools_list_changed' | 'prompts_list_changed'): SuiteTool => ({
    description: 'Tells those who listen that a list has changed.',
    call: () => (bus.publish({ kind }), said('Told.')),
  });
  const tools: Record<string, SuiteTool> = {
    ...contentTools,
    ...askingTools,
    test_trigger_tool_change: announces('tools_list_changed'),
    test_trigger_prompt_change: announces('prompts_list_changed'),
  };
  const listed = Object.entries(tools).map(([name, { description, inputSchema = { type: 'object' as const } }]) => ({
    ...{ name, description, inputSchema },
  }));

  return (server, own) => {
    server.registerCapabilities({ tools: { listChanged: true } });
    server.setRequestHandler('tools/list', () => ({ tools: [...own.list().tools, ...listed] }));
    server.setRequestHandler('tools/call', async (request, context): Promise<CallToolResult | InputRequiredResult> => {
      const tool = tools[request.params.name];
      return tool === undefined ? own.call(request, context) : tool.call(context, request.params.arguments ?? {});
    });
    addResources(server);
    addPrompts(server);
    return new Dressed(server, tools);
  };
}
