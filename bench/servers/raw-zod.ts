/**
 * @fileoverview Main baseline: JSON.parse, zod, JSON.stringify, and no protocol.
 * @module bench/servers/raw-zod
 */
import { Buffer } from "node:buffer";
import type { Adapter, Setup } from "./contract.js";
import { listen, readBody } from "./node-http.js";
import {
  INITIALIZE_RESULT,
  listResult,
  modernFields,
  RAW_SESSION,
  type RawMessage,
  serveLines,
} from "./raw.js";
import { benchTools } from "./tools.js";

/** Creates a function that answers one message. It returns an empty string for a message without an id. */
export function zodAnswerer(setup: Setup): (text: string) => string {
  const tools = new Map(benchTools(setup.tools).map((tool) => [tool.name, tool]));
  const list = listResult(setup);
  const fields = modernFields(setup);
  const call = (params: RawMessage["params"]) => {
    const tool = tools.get(params?.name ?? "");
    const parsed = tool?.input.safeParse(params?.arguments);
    if (tool === undefined || parsed?.success !== true) {
      return { isError: true, content: [{ type: "text", text: "wrong" }], ...fields };
    }
    return { content: [{ type: "text", text: tool.run(parsed.data) }], ...fields };
  };
  return (text) => {
    const { id, method, params } = JSON.parse(text) as RawMessage;
    if (id === undefined) return "";
    let result: object = INITIALIZE_RESULT;
    if (method === "tools/call") result = call(params);
    else if (method === "tools/list") result = list;
    return JSON.stringify({ jsonrpc: "2.0", id, result });
  };
}

/** Adapter of the baseline. */
export const adapter: Adapter = {
  http(setup) {
    const answer = zodAnswerer(setup);
    return listen((request, response) =>
      readBody(request, (body) => {
        const text = answer(body.toString());
        if (text === "") {
          response.writeHead(202, { "Content-Length": 0 }).end();
          return;
        }
        response.writeHead(200, {
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(text),
          ...(setup.mode === "session" ? { "Mcp-Session-Id": RAW_SESSION } : {}),
        });
        response.end(text);
      }),
    );
  },
  stdio: (setup) => serveLines(zodAnswerer(setup)),
  inProcess: zodAnswerer,
};
