/**
 * @fileoverview HTTP requests to nodes that may be killed at any time.
 * @module tools/chaos/http
 */
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Node, or a balancer before several nodes. */
export interface Target {
  readonly port: number;
}

/** Response to a POST request. Status 0 means that the connection failed, or that nothing arrived in time. */
export interface Response {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** JSON-RPC result. */
  readonly result?: Json;
  /** JSON-RPC error, or the reason why there is no response. */
  readonly error?: { readonly code?: number; readonly message: string };
  /** Time until the response was complete, in milliseconds. */
  readonly ms: number;
  /** True if nothing arrived in time. */
  readonly isHung: boolean;
}

/** One POST request. */
export interface Post {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /**
   * Never sends the request twice. Otherwise, it is repeated over a new connection if the node has closed an idle
   * one.
   */
  readonly isOnce?: boolean;
}

/** Time in milliseconds after which a request counts as hung. */
export const HANG_MS = 15_000;

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Sends a message and reads the response. Never rejects. */
export async function post(message: Post): Promise<Response> {
  const outcome = await postOnce(message);
  // The node closed the connection at the moment at which it was used again. It may have closed other idle connections
  // at the same time, so the repeated request must not use one of them.
  const isRepeated = outcome.isStale && message.isOnce !== true;
  return isRepeated ? postOnce({ ...message, isOnce: true }) : outcome;
}

function postOnce(message: Post): Promise<Response & { readonly isStale: boolean }> {
  const { port, headers, body, isOnce = false } = message;
  const start = performance.now();
  return new Promise((resolve) => {
    const finish = (outcome: Pick<Response, "status"> & Partial<Response>, isStale = false) => {
      clearTimeout(timer);
      resolve({ headers: {}, isHung: false, ...outcome, isStale, ms: performance.now() - start });
    };
    const fail = (error: Error) =>
      finish({ status: 0, error: { message: error.message } }, sent.reusedSocket);
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path: "/mcp",
        method: "POST",
        agent: isOnce ? false : agent,
        headers: { ...BASIC_HEADERS, ...headers },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.once("error", (error) => finish({ status: 0, error: { message: error.message } }));
        response.once("end", () =>
          finish({ status: response.statusCode ?? 0, ...readReply(response, text) }),
        );
      },
    );
    const timer = setTimeout(() => {
      finish({ status: 0, isHung: true, error: { message: `No response within ${HANG_MS} ms.` } });
      sent.destroy();
    }, HANG_MS);
    sent.once("error", fail);
    sent.end(JSON.stringify(body));
  });
}

/** Closes all connections that are kept open. */
export function closeConnections(): void {
  agent.destroy();
}

/** Reads the last message of a JSON body or an event stream. */
function readReply(response: IncomingMessage, text: string): Partial<Response> {
  const { headers } = response;
  const isStream = headers["content-type"]?.includes("text/event-stream") === true;
  const json = isStream ? lastData(text) : text;
  try {
    const message = JSON.parse(json) as Pick<Response, "result" | "error">; // Safe: every member is checked by its user
    const { result, error } = message;
    return {
      headers,
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error }),
    };
  } catch {
    return { headers, error: { message: text.slice(0, 200) } };
  }
}

function lastData(text: string): string {
  return /^data: ?(.*)$/m.exec(text.slice(text.lastIndexOf("data:")))?.[1] ?? "";
}

const BASIC_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** Runs an action for every item, with a limited number at the same time. */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number,
  action: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < items.length) {
      const index = next++;
      await action(items[index] as T, index); // Safe: the index is in range
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
}

/** Repeats a check until it returns a value other than `undefined`. @throws after `timeoutMs` */
export async function waitFor<T>(
  what: string,
  timeoutMs: number,
  check: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`Timed out after ${timeoutMs} ms: ${what}`);
    await sleep(25);
  }
}
