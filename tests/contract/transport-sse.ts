/**
 * @fileoverview Reads an event stream by the rules of the HTML standard, as far as MCP uses them.
 * @module tests/contract/transport-sse
 */

/** Event of a stream. */
export interface SseEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Yields the events of a response as they arrive. */
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

/** Parses an event. Returns `undefined` if there is no data, as in a comment. */
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
