/**
 * @fileoverview Main baseline: JSON.parse, zod, JSON.stringify, and no protocol. Its messages have the same members as
 * Tenon's. In the modern era, it also compares the headers with the body, which every server must do.
 * @module bench/servers/raw-zod
 */
import { Buffer } from "node:buffer";
import type { Adapter, RawMessage, Setup } from "./contract.js";
import { listen, readBody } from "./node-http.js";
import {
  INITIALIZE_RESULT,
  listResult,
  matchesHeaders,
  RAW_SESSION,
  RESULT_META,
  serveLines,
} from "./raw.js";
import { benchTools } from "./tools.js";

/** Creates a function that returns the result of one message. */
export function zodResults(setup: Setup): (message: RawMessage) => object {
  const tools = new Map(benchTools(setup.tools).map((tool) => [tool.name, tool]));
  const list = listResult(setup);
  const isModern = setup.mode === "modern";
  const call = (params: RawMessage["params"]) => {
    const tool = tools.get(params?.name ?? "");
    const parsed = tool?.input.safeParse(params?.arguments);
    if (tool === undefined || parsed?.success !== true) {
      return { isError: true, content: [{ type: "text", text: "wrong" }] };
    }
    const content = [{ type: "text", text: tool.run(parsed.data) }];
    return isModern ? { resultType: "complete", _meta: RESULT_META, content } : { content };
  };
  return ({ method, params }) => {
    if (method === "tools/call") return call(params);
    return method === "tools/list" ? list : INITIALIZE_RESULT;
  };
}

/** Creates a function that answers one message. It returns an empty string for a message without an ID. */
export function zodAnswerer(setup: Setup): (text: string) => string {
  const resultOf = zodResults(setup);
  return (text) => {
    const message = JSON.parse(text) as RawMessage;
    const { id } = message;
    return id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(message) });
  };
}

/** Adapter of the baseline. */
export const adapter: Adapter = {
  http(setup) {
    const resultOf = zodResults(setup);
    const isModern = setup.mode === "modern";
    return listen((request, response) =>
      readBody(request, (body) => {
        const message = JSON.parse(body.toString()) as RawMessage;
        const { id } = message;
        if (id === undefined) {
          response.writeHead(202, { "Content-Length": 0 }).end();
          return;
        }
        if (isModern && !matchesHeaders(request.headers, message)) {
          response.writeHead(400, { "Content-Length": 0 }).end();
          return;
        }
        const text = JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(message) });
        const length = Buffer.byteLength(text);
        response.writeHead(
          200,
          setup.mode === "session"
            ? { "Content-Type": "application/json", "Content-Length": length, "Mcp-Session-Id": RAW_SESSION }
            : { "Content-Type": "application/json", "Content-Length": length },
        );
        response.end(text);
      }),
    );
  },
  stdio: (setup) => serveLines(zodAnswerer(setup)),
  inProcess: zodAnswerer,
  objects(setup) {
    const resultOf = zodResults(setup);
    return (message) => resultOf(message);
  },
};
