import { reasonOf, type Reply, usageOf } from "./reply.js";

const REASONS = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
} as const;

/** Formats a reply as the event stream of OpenAI's Chat Completions API. */
export function toChatEvents(reply: Reply, hasUsage: boolean): readonly string[] {
  const { think = [], text = [], calls = [], error } = reply;
  const chunk = (choices: readonly object[], rest: object = {}) =>
    `data: ${JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "test-1",
      system_fingerprint: "fp_1",
      choices,
      ...rest,
    })}\n\n`;
  const delta = (content: object, reason: string | null = null) =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason: reason }]);
  const start = [
    delta({ role: "assistant", content: "", refusal: null }),
    ...think.map((reasoning) => delta({ reasoning_content: reasoning })),
    ...text.map((content) => delta({ content })),
    ...calls.flatMap(({ id, name, arguments: args }, index) => [
      delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      ...args.map((part) => delta({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
  ];
  if (error !== undefined)
    return [...start, `data: ${JSON.stringify({ error: { ...error, code: null } })}\n\n`];
  const usage = usageOf(reply);
  const counts = {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 },
  };
  return [
    ...start,
    delta({}, REASONS[reasonOf(reply)]),
    ...(hasUsage ? [chunk([], { usage: counts })] : []),
    "data: [DONE]\n\n",
  ];
}
