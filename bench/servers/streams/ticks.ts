/**
 * @fileoverview The tool of the stream servers: it sends progress, one notification per turn of the event loop.
 * @module bench/servers/streams/ticks
 */
import { z } from "zod";

/** Name of the tool. */
export const TICKS = "ticks";

/** Description of the tool. */
export const TICKS_DESCRIPTION = "Sends progress";

/** Arguments of the tool. */
export const TICKS_INPUT = z.object({ count: z.number().int().min(1).max(1_000), text: z.string() });

/** Calls `send` for each step. Waits in between, as work would: otherwise, a server could send all events at once. */
export async function tick(count: number, send: (step: number) => unknown): Promise<string> {
  for (let step = 1; step <= count; step++) {
    await send(step);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return String(count);
}
