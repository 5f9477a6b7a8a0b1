/**
 * @fileoverview Fetches the model's next response. A response that is cut off by a connection failure is requested again.
 * @module agent/conversation/fetch-response
 */
import { setImmediate as nextLoop, setTimeout as wait } from "node:timers/promises";
import { type ModelConversation, ModelError, type ModelUsage } from "../../models/model-port.js";
import { sizeOf } from "../context/fit-context.js";
import { toAlert, type Transcript } from "../context/transcript.js";
import { ModelResponse, type StartedText } from "./model-response.js";
import { type ModelParts, requestModel } from "./request-model.js";
import type { Toolbox } from "./toolbox.js";

/** Dependencies for `fetchResponse`. */
export interface FetchParts extends ModelParts {
  readonly transcript: Transcript;
  readonly toolbox: Toolbox;
  /** Delay before a response that was cut off is requested again, in milliseconds. */
  readonly restartDelay: number;
  /** Number of the response in the run, starting at 1. */
  readonly step: number;
  /** Counts the tokens of a response. Returns the entry for the log. */
  readonly count: (usage: ModelUsage) => Promise<ModelUsage>;
  /** Message that the response continues, because the previous response was cut off. */
  readonly continued?: StartedText | undefined;
}

/** Complete response of the model. */
export interface FetchedResponse {
  readonly response: ModelResponse;
  readonly usage: ModelUsage;
  /** True if the model did not report its usage. */
  readonly isEstimated: boolean;
}

/** Maximum number of retries after a response was cut off. */
const MAX_RESTARTS = 2;

/** Fetches a response, streams it to clients, and stores it. @throws {ModelError} if the model fails */
export async function fetchResponse(
  conversation: ModelConversation,
  parts: FetchParts,
  signal: AbortSignal,
): Promise<FetchedResponse> {
  const { transcript, toolbox, restartDelay } = parts;
  for (let restarts = 0; ; restarts++) {
    const response = new ModelResponse({ ...parts, reader: toolbox.createReader() });
    try {
      const report = await readResponse(response, { parts, conversation }, signal);
      response.close();
      // A hook can reject the response, so it runs before the response and its calls are stored.
      await report();
    } catch (error) {
      const usage = response.hasBegun ? await parts.count(estimateUsage(conversation, response)) : undefined;
      const isLost = error instanceof ModelError && error.isTransient && response.hasBegun;
      if (!isLost || signal.aborted || restarts === MAX_RESTARTS) {
        await response.breakOff(usage);
        throw error;
      }
      response.discard();
      const alert = toAlert(transcript.taskId, `${error.message} Retrying.`, transcript.nextTime());
      await transcript.keepAndSend(alert, { usage });
      await wait(restartDelay, undefined, { signal });
      continue;
    }
    const usage = response.end?.usage ?? estimateUsage(conversation, response);
    await response.finish(await parts.count(usage));
    return { response, usage, isEstimated: response.end?.usage === undefined };
  }
}

/** Reads a response until its end. Returns a function that reports it to the hooks. */
async function readResponse(
  response: ModelResponse,
  { parts, conversation }: { readonly parts: FetchParts; readonly conversation: ModelConversation },
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const request = { purpose: "respond", conversation, step: parts.step, signal } as const;
  const { pieces, report, fail } = await requestModel(parts, request);
  let count = 0;
  try {
    for await (const piece of pieces) {
      response.take(piece);
      if (response.isOver) break;
      // Yield to the event loop, so that a fast model does not block other work.
      if (++count % 64 === 0) await nextLoop();
    }
  } catch (error) {
    fail(error);
    throw error;
  }
  return () =>
    report({
      text: response.text,
      toolNames: response.calls.map(({ call }) => call.name),
      usage: response.end?.usage,
      finishReason: response.end?.reason,
    });
}

/** Estimates the tokens of a response whose model does not report them, with four characters per token. */
function estimateUsage({ messages }: ModelConversation, response: ModelResponse): ModelUsage {
  const length = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  return {
    inputTokens: Math.ceil(length / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(response.length / CHARACTERS_PER_TOKEN),
  };
}

const CHARACTERS_PER_TOKEN = 4;
