/**
 * @fileoverview Server of the official SDK whose names, descriptions, schemas, and results try to run code in the page, to
 * load something from elsewhere, or to break the layout.
 * @module tests/dev-page/support/hostile-server
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** Loads an image from elsewhere, and runs code. */
const HTML = `<img src="https://evil.example/x.png" onerror="window.owned=1"><script>window.owned=1</script>`;

const MARKDOWN = `# Title ${HTML}

[run](javascript:window.owned=1) [data](data:text/html,<script>window.owned=1</script>)
[tab](java\tscript:window.owned=1) <a href="javascript:window.owned=1">html</a>
![image](https://evil.example/y.png) ![script](javascript:window.owned=1)
<https://evil.example/auto> <javascript:window.owned=1>

<iframe src="https://evil.example/frame"></iframe><svg onload="window.owned=1"></svg>
<style>* { background: url(https://evil.example/style.png) }</style>

[reference][r]

[r]: javascript:window.owned=1 "title"
`;

const SVG = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" onload="window.owned=1"><script>window.owned=1</script></svg>`,
).toString("base64");

const LONG = "W".repeat(3_000);
/** Reverses the direction of the text after it. */
const REVERSED = "safe\u202Etxt.exe\u2066\u200B";

const NAMES = [
  HTML,
  "javascript:window.owned=1",
  "__proto__",
  "constructor",
  "a/b?c#d%2e%2e%",
  REVERSED,
  "\uD800lone",
  LONG,
  "",
  "line\nbreak\u0000\u001B[31m",
];

const SCHEMA = {
  type: "object" as const,
  title: HTML,
  properties: JSON.parse(
    JSON.stringify({
      [HTML]: { type: "string", description: HTML, default: HTML, title: HTML },
      constructor: { type: "string", enum: [HTML, LONG] },
      [LONG]: { type: "string", description: LONG },
      recursive: { $ref: "#" },
      pattern: { type: "string", pattern: "(a+)+$", default: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" },
    }),
  ) as Record<string, object>, // Safe: the schema above
};

const CONTENT = [
  { type: "text" as const, text: MARKDOWN },
  { type: "text" as const, text: HTML },
  { type: "text" as const, text: LONG },
  { type: "text" as const, text: JSON.stringify([{ [HTML]: HTML, ["__proto__x"]: LONG }]) },
  { type: "image" as const, data: SVG, mimeType: "image/svg+xml" },
  { type: "image" as const, data: SVG, mimeType: 'image/png" onerror="window.owned=1' },
  { type: "resource_link" as const, uri: "javascript:window.owned=1", name: HTML, description: HTML },
  { type: "resource_link" as const, uri: `https://evil.example/${LONG}`, name: LONG },
  { type: "resource" as const, resource: { uri: HTML, mimeType: "text/html", text: `<html>${HTML}</html>` } },
];

/** Creates a server for a session. */
export default function createServer(): Server {
  const server = new Server(
    { name: HTML, version: HTML, title: `${HTML}${LONG}` },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: HTML },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: NAMES.map((name) => ({
      name,
      title: `${HTML} ${REVERSED}`,
      description: `${MARKDOWN}${LONG}`,
      inputSchema: SCHEMA,
      icons: [{ src: "https://evil.example/icon.png" }],
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: CONTENT,
    structuredContent: { [HTML]: HTML, url: "javascript:window.owned=1", long: LONG },
  }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [
      { uri: `x:${HTML}`, name: HTML, description: MARKDOWN, mimeType: "text/html" },
      { uri: "javascript:window.owned=1", name: LONG },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [
      { uri, mimeType: "text/html", text: `<html>${HTML}</html>` },
      { uri, mimeType: "text/markdown", text: MARKDOWN },
      { uri, mimeType: "image/svg+xml", blob: SVG },
    ],
  }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [{ name: HTML, description: MARKDOWN, arguments: [{ name: HTML, description: HTML }] }],
  }));
  server.setRequestHandler(GetPromptRequestSchema, () => ({
    description: HTML,
    messages: [{ role: "user" as const, content: { type: "text" as const, text: MARKDOWN } }],
  }));
  return server;
}
