/**
 * @fileoverview Fetches the model's next response. A response that is cut off by a connection failure is requested again.
 * @module agent/conversation/answer/fetch-response
 */
import { setImmediate as nextLoop, setTimeout as wait } from "node:timers/promises";
import { type ModelConversation, ModelError, type ModelUsage } from "../../models/model-port.js";
import { estimateUsage } from "../context/fit-context.js";
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
  const { transcript, toolbox, restartDelay, step } = parts;
  const estimate = ({ length }: ModelResponse) => estimateUsage(conversation.messages, length);
  for (let restarts = 0; ; restarts++) {
    const response = new ModelResponse({ ...parts, reader: toolbox.createReader() });
    let isSent = false;
    try {
      const request = await requestModel(parts, { purpose: "respond", conversation, step, signal });
      isSent = true;
      await readResponse(response, request);
      // A hook can reject the response, so it runs before the response and its calls are stored.
      await request.report({
        text: response.text,
        toolNames: response.calls.map(({ call }) => call.name),
        usage: response.end?.usage,
        finishReason: response.end?.reason,
      });
    } catch (error) {
      // The model has read a request that was interrupted, so interrupting runs does not get around a budget.
      const isCounted = response.hasBegun || (isSent && signal.aborted);
      const usage = isCounted ? await parts.count(estimate(response)) : undefined;
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
    const usage = response.end?.usage ?? estimate(response);
    await response.finish(await parts.count(usage));
    return { response, usage, isEstimated: response.end?.usage === undefined };
  }
}

/** Reads a response until its end, and shows it to clients. */
async function readResponse(response: ModelResponse, { pieces, fail }: SentRequest): Promise<void> {
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
  response.close();
}

type SentRequest = Awaited<ReturnType<typeof requestModel>>;
