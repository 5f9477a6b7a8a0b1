import { isJsonObject } from "@tenon/internal/json";
import { type SeenRequest, startModelServer } from "./model-server.js";
import { toChatEvents } from "./chat-format.js";
import { toMessagesEvents } from "./messages-format.js";
import type { Rejection, Reply } from "./reply.js";
import { toResponsesEvents } from "./responses-format.js";

/** Replies in order, of which the last one repeats. */
export type Replies = readonly (Reply | Rejection)[];

/**
 * Starts a local server that speaks the stream formats of three APIs: OpenAI's Chat Completions
 * (`/v1/chat/completions`), OpenAI's Responses (`/v1/responses`), and Anthropic's Messages (`/v1/messages`). It rejects
 * requests that the APIs would reject: without credentials, or with calls that have no result.
 */
export function startProviderServer(replies: Replies) {
  return startModelServer((response, count, request) => {
    const problem = findProblem(request);
    const reply = problem ?? replies[count - 1] ?? replies.at(-1) ?? {};
    if ("status" in reply) {
      const headers = { "content-type": "application/json", ...reply.headers };
      return response.writeHead(reply.status, headers).end(JSON.stringify(reply.body));
    }
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    const { ending } = reply;
    if (ending === undefined) return response.end(format(request, reply).join(""));
    // A reply that ends with an error has no other end, so this removes the end.
    const start = format(request, { ...reply, error: { type: "", message: "" } }).slice(0, -1);
    response.write(start.join(""), () => void (ending === "break" && response.destroy()));
  });
}

function format({ url, body }: SeenRequest, reply: Reply): readonly string[] {
  if (url === "/v1/messages") return toMessagesEvents(reply);
  if (url === "/v1/responses") return toResponsesEvents(reply);
  const options = isJsonObject(body) ? body["stream_options"] : undefined;
  return toChatEvents(reply, isJsonObject(options) && options["include_usage"] === true);
}

function findProblem({ url, headers, body }: SeenRequest): Rejection | undefined {
  const reject = (status: number, type: string, message: string): Rejection => ({
    status,
    body: { type: "error", error: { type, message, code: null, param: null } },
  });
  if (!isJsonObject(body) || body["stream"] !== true) {
    return reject(400, "invalid_request_error", "`stream` must be true.");
  }
  if (url === "/v1/messages") {
    if (headers["x-api-key"] === undefined || headers["anthropic-version"] === undefined) {
      return reject(401, "authentication_error", "invalid x-api-key");
    }
    return findOpen(body["messages"], "tool_use", "tool_result") === 0
      ? undefined
      : reject(400, "invalid_request_error", "`tool_use` ids were found without `tool_result` blocks.");
  }
  if (url !== "/v1/chat/completions" && url !== "/v1/responses") {
    return reject(404, "not_found_error", "Not found.");
  }
  if (headers.authorization === undefined) return reject(401, "authentication_error", "Missing API key.");
  const open =
    url === "/v1/responses"
      ? findOpen([{ content: body["input"] }], "function_call", "function_call_output")
      : countOpenChatCalls(body["messages"]);
  return open === 0 ? undefined : reject(400, "invalid_request_error", "A tool call has no result.");
}

/** Counts the blocks of a type without a result. */
function findOpen(messages: unknown, callType: string, resultType: string): number {
  const blocks = listOf(messages).flatMap(({ content }) => listOf(content));
  const ids = (type: string, name: string) =>
    blocks.filter((one) => one["type"] === type).map((one) => one[name]);
  const isAnthropic = callType === "tool_use";
  const results = new Set(ids(resultType, isAnthropic ? "tool_use_id" : "call_id"));
  return ids(callType, isAnthropic ? "id" : "call_id").filter((id) => !results.has(id)).length;
}

function countOpenChatCalls(messages: unknown): number {
  const all = listOf(messages);
  const results = new Set(all.filter(({ role }) => role === "tool").map((one) => one["tool_call_id"]));
  const calls = all.flatMap((one) => listOf(one["tool_calls"]));
  return calls.filter(({ id }) => !results.has(id)).length;
}

function listOf(value: unknown): readonly { readonly [name: string]: unknown }[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
