/**
 * @fileoverview Clients that call tools of a server under test, over HTTP and over stdio.
 * @module tools/reload/clients
 */
import type { JsonObject } from "@tenon/internal/json";
import { LATEST_LEGACY, META, MODERN_REVISIONS } from "tenon/protocol";
import { type DevProgram, onLines } from "./dev-program.js";

/** Message from the server. */
export interface ServerMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
  readonly error?: { readonly message: string };
}

/** Client that calls tools. */
export interface ToolClient {
  /** Calls a tool and returns its text. @throws if the call fails */
  call(name: string, args: JsonObject): Promise<string>;
  close(): void;
}

const MODERN = MODERN_REVISIONS.at(-1) ?? LATEST_LEGACY;
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const INITIALIZE = {
  protocolVersion: LATEST_LEGACY,
  capabilities: {},
  clientInfo: { name: "reload", version: "1.0.0" },
};

/** Opens a session over HTTP, and its stream of server messages. */
export async function openSession(
  url: string,
  onMessage: (message: ServerMessage) => void,
): Promise<ToolClient> {
  const opened = await fetch(url, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: INITIALIZE }),
  });
  await opened.text();
  const headers = {
    ...HEADERS,
    "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": LATEST_LEGACY,
  };
  const post = (body: JsonObject) => fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  await (await post({ jsonrpc: "2.0", method: "notifications/initialized" })).text();
  const stream = new AbortController();
  void readStream(await fetch(url, { headers, signal: stream.signal }), onMessage);
  let lastId = 0;
  return {
    async call(name, args) {
      const params = { name, arguments: args };
      const response = await post({ jsonrpc: "2.0", id: ++lastId, method: "tools/call", params });
      return readResult(await readLast(response));
    },
    close: () => stream.abort(),
  };
}

/** Creates a client that sends stateless requests over HTTP. */
export function createStatelessClient(url: string): ToolClient {
  let lastId = 0;
  return {
    async call(name, args) {
      const _meta = { [META.protocolVersion]: MODERN, [META.clientCapabilities]: {} };
      const params = { name, arguments: args, _meta };
      const response = await fetch(url, {
        method: "POST",
        headers: {
          ...HEADERS,
          "mcp-protocol-version": MODERN,
          "mcp-method": "tools/call",
          "mcp-name": name,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method: "tools/call", params }),
      });
      return readResult(await readLast(response));
    },
    close: () => undefined,
  };
}

/** Connects to a program over stdio. */
export async function connectStdio(
  { child, exited }: DevProgram,
  onMessage: (message: ServerMessage) => void,
): Promise<ToolClient> {
  const pending = new Map<
    unknown,
    { readonly resolve: (message: ServerMessage) => void; readonly reject: (error: Error) => void }
  >();
  void exited.then(() => {
    for (const { reject } of pending.values()) reject(new Error("The program has exited."));
  });
  onLines(child.stdout, (line) => {
    const message = JSON.parse(line) as ServerMessage; // Safe: members are checked by their users
    const waiting = message.method === undefined ? pending.get(message.id) : undefined;
    pending.delete(message.id);
    if (waiting === undefined) onMessage(message);
    else waiting.resolve(message);
  });
  const send = (message: JsonObject) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let lastId = 0;
  const request = (method: string, params: JsonObject) => {
    const id = ++lastId;
    return new Promise<ServerMessage>((resolve, reject) => {
      pending.set(id, { resolve, reject });
      send({ id, method, params });
    });
  };
  await request("initialize", INITIALIZE);
  send({ method: "notifications/initialized" });
  return {
    call: async (name, args) => readResult(await request("tools/call", { name, arguments: args })),
    close: () => child.stdin.end(),
  };
}

/** Returns the text of a result. @throws if the message is an error */
function readResult({ result, error }: ServerMessage): string {
  if (error !== undefined) throw new Error(error.message);
  return result?.content?.[0]?.text ?? "";
}

/** Reads the last message of a response, which is JSON or an event stream. */
async function readLast(response: Response): Promise<ServerMessage> {
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  const json = isStream ? (/data: (.*)\s*$/.exec(text.trimEnd())?.[1] ?? "") : text;
  if (json === "") throw new Error(`No message in the response: status ${response.status}.`);
  return JSON.parse(json) as ServerMessage; // Safe: members are checked by their users
}

async function readStream(response: Response, onMessage: (message: ServerMessage) => void): Promise<void> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      const blocks = (text + decoder.decode(chunk, { stream: true })).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, data] = /^data: ?(.+)$/m.exec(block) ?? [];
        if (data !== undefined) onMessage(JSON.parse(data) as ServerMessage); // Safe: as above
      }
    }
  } catch {
    // The client has closed the stream.
  }
}
