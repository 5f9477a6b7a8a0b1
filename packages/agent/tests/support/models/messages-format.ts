import { namedEvent, reasonOf, type Reply, usageOf } from "./reply.js";

const REASONS = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
} as const;

/** Signature of every reasoning block. A client must send it back with the results of calls. */
export const SIGNATURE = "c2lnbmF0dXJl";

/** Formats a reply as the event stream of Anthropic's Messages API. */
export function toMessagesEvents(reply: Reply): readonly string[] {
  const { think = [], text = [], calls = [], error } = reply;
  const { input, output, cached } = usageOf(reply);
  const blocks = [
    ...(think.length === 0
      ? []
      : [
          {
            start: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              ...think.map((thinking) => ({ type: "thinking_delta", thinking })),
              { type: "signature_delta", signature: SIGNATURE },
            ],
          },
        ]),
    ...(text.length === 0
      ? []
      : [
          {
            start: { type: "text", text: "" },
            deltas: text.map((part) => ({ type: "text_delta", text: part })),
          },
        ]),
    ...calls.map(({ id, name, arguments: args }) => ({
      start: { type: "tool_use", id, name, input: {} },
      deltas: args.map((part) => ({ type: "input_json_delta", partial_json: part })),
    })),
  ];
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "test-1",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      // Anthropic counts cached tokens separately.
      input_tokens: input - cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: cached,
      output_tokens: 1,
    },
  };
  const events = [
    { type: "message_start", message },
    { type: "ping" },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    ...(error === undefined
      ? [
          {
            type: "message_delta",
            delta: { stop_reason: REASONS[reasonOf(reply)], stop_sequence: null },
            usage: { output_tokens: output },
          },
          { type: "message_stop" },
        ]
      : [{ type: "error", error }]),
  ];
  return events.map(namedEvent);
}
