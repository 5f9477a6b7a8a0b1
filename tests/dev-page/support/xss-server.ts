/**
 * @fileoverview Server of the official SDK that sends the corpus of hostile texts in every place that the page shows.
 * @module tests/dev-page/support/xss-server
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import {
  HTML_PAYLOADS,
  JSON_PAYLOADS,
  MARKDOWN_PAYLOADS,
  MEDIA_PAYLOADS,
  URL_PAYLOADS,
} from "../../../tools/attack/corpora/page-payloads.js";

const ALL = [...HTML_PAYLOADS, ...URL_PAYLOADS];
const MARKDOWN = MARKDOWN_PAYLOADS.join("\n\n");
const NAME = HTML_PAYLOADS[0] ?? "";

const SCHEMA = {
  type: "object" as const,
  title: NAME,
  properties: Object.fromEntries(
    ALL.map((text, index) => [
      `${index} ${text}`,
      { type: "string", title: text, description: text, default: text, enum: [text], examples: [text] },
    ]),
  ),
};

const CONTENT: CallToolResult["content"] = [
  ...MARKDOWN_PAYLOADS.map((text) => ({ type: "text" as const, text })),
  ...HTML_PAYLOADS.map((text) => ({ type: "text" as const, text })),
  ...JSON_PAYLOADS.map((text) => ({ type: "text" as const, text })),
  ...MEDIA_PAYLOADS.map(({ mediaType, data }) => ({ type: "image" as const, mimeType: mediaType, data })),
  ...MEDIA_PAYLOADS.map(({ mediaType, data }) => ({ type: "audio" as const, mimeType: mediaType, data })),
  ...URL_PAYLOADS.map((uri) => ({ type: "resource_link" as const, uri, name: uri, description: uri })),
  ...ALL.map((text) => ({ type: "resource" as const, resource: { uri: text, mimeType: text, text } })),
];

/** Tools that the test calls, with the requests and notifications that they send. */
const REQUESTS: Readonly<Record<string, { readonly method: string; readonly params: object }>> = {
  ask: {
    method: "elicitation/create",
    params: { mode: "form", message: MARKDOWN, requestedSchema: SCHEMA },
  },
  ...Object.fromEntries(
    URL_PAYLOADS.map((url, index) => [
      `open_${index}`,
      {
        method: "elicitation/create",
        params: { mode: "url", message: url, url, elicitationId: String(index) },
      },
    ]),
  ),
  sample: {
    method: "sampling/createMessage",
    params: {
      systemPrompt: MARKDOWN,
      messages: ALL.map((text) => ({ role: "user", content: { type: "text", text } })),
      maxTokens: 1,
    },
  },
};

const NAMED = ["result", "failed", "error", "log", ...Object.keys(REQUESTS)];

/** Creates a server for a session. */
export default function createServer(): Server {
  const server = new Server(
    { name: NAME, version: NAME, title: MARKDOWN, websiteUrl: URL_PAYLOADS[0] ?? "" },
    { capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} }, instructions: MARKDOWN },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      ...NAMED.map((name) => ({ name, inputSchema: { type: "object" as const } })),
      ...ALL.map((text) => ({
        name: text,
        title: text,
        description: `${text}\n\n${MARKDOWN}`.slice(0, 4_000),
        inputSchema: SCHEMA,
        annotations: { title: text },
        icons: URL_PAYLOADS.map((src) => ({ src, mimeType: "image/png" })),
      })),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }, extra) => {
    if (name === "error") throw new McpError(-32_000, MARKDOWN, { [NAME]: ALL });
    if (name === "log") {
      for (const data of ALL)
        await extra.sendNotification({
          method: "notifications/message",
          params: { level: "error", logger: data, data: { [data]: data } },
        });
    }
    const request = REQUESTS[name];
    if (request !== undefined) {
      // Safe: the page shows requests of any form. The answer does not matter.
      await extra.sendRequest(request as never, ResultSchema).catch(() => undefined);
    }
    return {
      content: name === "result" ? CONTENT : [{ type: "text", text: `done ${name} ${MARKDOWN}` }],
      isError: name === "failed",
      structuredContent: Object.fromEntries(ALL.map((text) => [text, { [text]: text }])),
    };
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [NAME, ...URL_PAYLOADS].map((uri) => ({
      uri,
      name: uri,
      title: uri,
      description: MARKDOWN.slice(0, 4_000),
      mimeType: uri,
    })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [
      { uri, mimeType: "text/html", text: HTML_PAYLOADS.join("\n") },
      { uri, mimeType: "text/markdown", text: MARKDOWN },
      { uri, mimeType: "application/json", text: JSON_PAYLOADS[0] ?? "" },
      ...MEDIA_PAYLOADS.map(({ mediaType, data }) => ({ uri, mimeType: mediaType, blob: data })),
    ],
  }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [
      { name: NAME, description: MARKDOWN, arguments: ALL.map((name) => ({ name, description: name })) },
    ],
  }));
  server.setRequestHandler(GetPromptRequestSchema, () => ({
    description: MARKDOWN,
    messages: MARKDOWN_PAYLOADS.map((text) => ({
      role: "user" as const,
      content: { type: "text" as const, text },
    })),
  }));
  return server;
}
