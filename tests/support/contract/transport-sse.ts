/**
 * @fileoverview Reads an event stream by the HTML standard's rules, as far as MCP uses them.
 * @module tests/support/contract/transport-sse
 */

/** Server-sent event. */
export interface SseEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Yields a response's events as they arrive. */
export async function* readEvents(response: Response): AsyncGenerator<SseEvent> {
  if (response.body === null) return;
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

/** Parses an event. Returns `undefined` for an event without data, such as a comment. */
function parseEvent(block: string): SseEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name !== "")
      fields.set(name, name === "data" && fields.has(name) ? `${fields.get(name)}\n${value}` : value);
  }
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { type: fields.get("event") ?? "message", data, id: fields.get("id") };
}
