import { namedEvent, type ProviderEvent, reasonOf, type Reply, usageOf } from "./reply.js";

interface Item {
  /** The item when it starts. */
  readonly start: object;
  /** Events of the item. */
  readonly events: readonly ProviderEvent[];
  /** The item when it ends. */
  readonly end: object;
}

/** Formats a reply as the event stream of OpenAI's Responses API. */
export function toResponsesEvents(reply: Reply): readonly string[] {
  const { think = [], text = [], calls = [], error } = reply;
  const items = [
    ...(think.length === 0 ? [] : [toReasoningItem(think, reply.encrypted)]),
    ...(text.length === 0 ? [] : [toMessageItem(text)]),
    ...calls.map(toCallItem),
  ];
  const body = items.flatMap(({ start, events, end }, output_index) => [
    { type: "response.output_item.added", output_index, item: start },
    ...events.map((event) => ({ ...event, output_index })),
    { type: "response.output_item.done", output_index, item: end },
  ]);
  const started = toResponse(reply, "in_progress", []);
  const events = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...body,
    ...(error === undefined
      ? [toEnd(reply, items)]
      : [{ type: "error", error: { ...error, code: error.type } }]),
  ];
  return events.map((event, sequence_number) => namedEvent({ ...event, sequence_number }));
}

function toEnd(reply: Reply, items: readonly Item[]): ProviderEvent {
  const reason = reasonOf(reply);
  const isWhole = reason === "stop" || reason === "tool-calls";
  const status = isWhole ? "completed" : "incomplete";
  const response = toResponse(
    reply,
    status,
    items.map(({ end }) => end),
  );
  return { type: `response.${status}`, response };
}

function toResponse(
  reply: Reply,
  status: "in_progress" | "completed" | "incomplete",
  output: readonly object[],
) {
  const { input, output: outputTokens, reasoning, cached } = usageOf(reply);
  const reason = reasonOf(reply) === "length" ? "max_output_tokens" : "content_filter";
  return {
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: status === "incomplete" ? { reason } : null,
    model: "test-1",
    output,
    parallel_tool_calls: true,
    store: true,
    usage:
      status === "in_progress"
        ? null
        : {
            input_tokens: input,
            input_tokens_details: { cached_tokens: cached },
            output_tokens: outputTokens,
            output_tokens_details: { reasoning_tokens: reasoning },
            total_tokens: input + outputTokens,
          },
    service_tier: "default",
  };
}

function toReasoningItem(deltas: readonly string[], encrypted_content: string | undefined): Item {
  const whole = deltas.join("");
  const item_id = "rs_1";
  const place = { item_id, summary_index: 0 };
  const part = { type: "summary_text", text: whole };
  return {
    start: { id: item_id, type: "reasoning", summary: [] },
    events: [
      { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
      ...deltas.map((delta) => ({ type: "response.reasoning_summary_text.delta", ...place, delta })),
      { type: "response.reasoning_summary_text.done", ...place, text: whole },
      { type: "response.reasoning_summary_part.done", ...place, part },
    ],
    end: { id: item_id, type: "reasoning", summary: [part], encrypted_content },
  };
}

function toMessageItem(deltas: readonly string[]): Item {
  const item_id = "msg_1";
  const place = { item_id, content_index: 0 };
  const part = { type: "output_text", annotations: [], logprobs: [], text: deltas.join("") };
  const item = { id: item_id, type: "message", role: "assistant" };
  return {
    start: { ...item, status: "in_progress", content: [] },
    events: [
      { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
      ...deltas.map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
      { type: "response.output_text.done", ...place, text: part.text, logprobs: [] },
      { type: "response.content_part.done", ...place, part },
    ],
    end: { ...item, status: "completed", content: [part] },
  };
}

function toCallItem({ id, name, arguments: args }: NonNullable<Reply["calls"]>[number], index: number): Item {
  const item_id = `fc_${index + 1}`;
  const item = { id: item_id, type: "function_call", call_id: id, name };
  const whole = args.join("");
  return {
    start: { ...item, status: "in_progress", arguments: "" },
    events: [
      ...args.map((delta) => ({ type: "response.function_call_arguments.delta", item_id, delta })),
      { type: "response.function_call_arguments.done", item_id, arguments: whole },
    ],
    end: { ...item, status: "completed", arguments: whole },
  };
}
