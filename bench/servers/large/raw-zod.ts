/**
 * @fileoverview Baseline of large results: `node:http`, `JSON.parse`, zod for input and output, `JSON.stringify`.
 * @module bench/servers/large/raw-zod
 */
import { Buffer } from "node:buffer";
import type { Adapter, RawMessage } from "../contract.js";
import { listen, readBody } from "../node-http.js";
import { matchesHeaders, RESULT_META } from "../raw.js";
import { IMAGE_TYPE, LARGE_INPUT, type LargeTool, largeTools, RECORDS } from "./tools.js";

function resultOf(tool: LargeTool): object {
  const [resultType, _meta] = ["complete", RESULT_META];
  if (tool.kind === "text") return { resultType, _meta, content: [{ type: "text", text: tool.text }] };
  if (tool.kind === "image")
    return { resultType, _meta, content: [{ type: "image", data: tool.data, mimeType: IMAGE_TYPE }] };
  const structuredContent = RECORDS.parse(tool.value);
  // Clients that do not support structured content read the same as text.
  const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
  return { resultType, _meta, content, structuredContent };
}

/** Adapter of the baseline. */
export const adapter: Adapter = {
  http() {
    const tools = new Map<string, LargeTool>(largeTools().map((tool) => [tool.name, tool]));
    return listen((request, response) =>
      readBody(request, (body) => {
        const message = JSON.parse(body.toString()) as RawMessage;
        const { id, params } = message;
        const tool = tools.get(params?.name ?? "");
        const isValid = LARGE_INPUT.safeParse(params?.arguments).success;
        if (tool === undefined || !isValid || !matchesHeaders(request.headers, message)) {
          response.writeHead(400, { "Content-Length": 0 }).end();
          return;
        }
        const text = JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(tool) });
        response.writeHead(200, {
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(text),
        });
        response.end(text);
      }),
    );
  },
};
