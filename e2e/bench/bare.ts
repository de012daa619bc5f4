// The least an MCP server can be: the official SDK, one tool, no pipeline. What a call costs before we add anything.
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const structuredContent = { ok: true };

serveStdio(() => {
  const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'nothing', inputSchema: { type: 'object' } }] }));
  server.setRequestHandler('tools/call', () => ({
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
  }));
  return server;
});
