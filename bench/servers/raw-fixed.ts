/**
 * @fileoverview Lowest baseline: reads the body, extracts the id, and sends a fixed response.
 * @module bench/servers/raw-fixed
 */
import type { Adapter, RawMessage, Setup } from "./contract.js";
import { listen, readBody } from "./node-http.js";
import { INITIALIZE_RESULT, listResult, modernFields, RAW_SESSION, serveLines } from "./raw.js";

/** Only result of `add`: every pair of arguments in the benchmark has this sum. */
const SUM = "1000";

function answerer(setup: Setup): (text: string) => string {
  const content = (text: string) =>
    JSON.stringify({ ...modernFields(setup), content: [{ type: "text", text }] });
  const sum = content(SUM);
  const list = JSON.stringify(listResult(setup));
  const initialize = JSON.stringify(INITIALIZE_RESULT);
  let echoed = "";
  return (text) => {
    const { id, method, params } = JSON.parse(text) as RawMessage;
    if (id === undefined) return "";
    let result = initialize;
    if (method === "tools/list") result = list;
    else if (method === "tools/call") {
      if (params?.name === "echo") {
        // Every echo of the benchmark is the same, so the first one is cached.
        if (echoed === "") echoed = content((params.arguments as { readonly text: string }).text);
        result = echoed;
      } else result = sum;
    }
    return `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":${result}}`;
  };
}

/** Adapter of the baseline. */
export const adapter: Adapter = {
  http(setup) {
    const answer = answerer(setup);
    return listen((request, response) =>
      readBody(request, (body) => {
        const text = answer(body.toString());
        if (text === "") {
          response.writeHead(202, { "Content-Length": 0 }).end();
          return;
        }
        response.writeHead(200, {
          "Content-Type": "application/json",
          "Content-Length": text.length, // the text is ASCII
          ...(setup.mode === "session" ? { "Mcp-Session-Id": RAW_SESSION } : {}),
        });
        response.end(text);
      }),
    );
  },
  stdio: (setup) => serveLines(answerer(setup)),
  inProcess: answerer,
};
