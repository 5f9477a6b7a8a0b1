/**
 * @fileoverview Instructions for connecting common clients to an endpoint, ready to paste.
 * @module examples/showcase/connection-help
 */

/** Returns the text that `npm start` prints. */
export function connectionHelp(url: string): string {
  const entry = JSON.stringify({ tenon: { type: "http", url } });
  return `Tenon's showcase server is ready.

  endpoint   ${url}
  health     ${new URL("/healthz", url).href}

Connect a client:

  Claude Code      claude mcp add --transport http tenon ${url}

  Claude Desktop   in claude_desktop_config.json (through the mcp-remote bridge):
                   { "mcpServers": { "tenon": { "command": "npx", "args": ["-y", "mcp-remote", "${url}"] } } }

  Cursor           in .cursor/mcp.json:
                   { "mcpServers": { "tenon": { "url": "${url}" } } }

  VS Code          in .vscode/mcp.json:
                   { "servers": ${entry} }

Or send a request with curl:

  curl -s ${url} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \\
    -H 'mcp-protocol-version: 2026-07-28' -H 'mcp-method: tools/list' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'

Press Ctrl+C to stop.`;
}
