/**
 * @fileoverview Run in the same process as an async iterable of its messages.
 * @module agent/in-process/agent-stream
 */
import type { StandardSchema } from "tenon";
import type { AgentEvent, AgentRunResult } from "./run-options.js";

/** Messages about a run, in order, and its result. Stopping the iteration interrupts the run. */
export interface AgentStream<
  Schema extends StandardSchema | undefined = undefined,
> extends AsyncIterable<AgentEvent> {
  /** Resolves when the run has ended. Rejects if it could not start. */
  readonly result: Promise<AgentRunResult<Schema>>;
}

/** Starts a run, and passes it the function for events and the signal that interrupts it. */
export type StartStreamed<Schema extends StandardSchema | undefined> = (
  onEvent: (event: AgentEvent) => void,
  signal: AbortSignal,
) => Promise<AgentRunResult<Schema>>;

/** Creates a stream. The run starts at once. A consumer that is too slow interrupts the run. */
export function createAgentStream<Schema extends StandardSchema | undefined>(
  start: StartStreamed<Schema>,
): AgentStream<Schema> {
  const controller = new AbortController();
  const waiting: AgentEvent[] = [];
  let isOver = false;
  let wake = () => {};
  const result = start((event) => {
    waiting.push(event);
    if (waiting.length > MAX_WAITING) controller.abort();
    wake();
  }, controller.signal).finally(() => {
    isOver = true;
    wake();
  });
  // The iteration throws the error, so that a program that does not use `result` does not end.
  result.catch(() => undefined);
  async function* iterate(): AsyncGenerator<AgentEvent, void, undefined> {
    try {
      for (;;) {
        const event = waiting.shift();
        if (event !== undefined) yield event;
        else if (isOver) break;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
      await result;
    } finally {
      controller.abort();
    }
  }
  return { result, [Symbol.asyncIterator]: iterate };
}

/** Maximum number of messages that wait for the consumer. */
const MAX_WAITING = 10_000;
