/**
 * @fileoverview Runs a handler. Decrypts its state, applies cancellation and timeout, converts errors, and sends
 * requests to the client. Synchronous handlers run without promises.
 * @module tenon/core/call/operation
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { McpError } from "../../protocol/index.js";
import { RETRYABLE_METHODS } from "../../protocol/revisions/methods.js";
import { Call } from "./call.js";
import { type Incoming, refuse, refuseWith } from "./incoming.js";
import { onClientGone } from "../wire/exchange.js";
import {
  busyResponse,
  type McpResponse,
  emptyResponse,
  resultResponse,
  textResponse,
} from "../wire/response.js";
import { MAX_TEXT_LENGTH } from "../wire/text-result.js";
import { type Questions, withAnswers } from "./questions.js";
import { EMPTY_STATE, type StateBinding } from "./state.js";
import { kindOf } from "@tenon/internal/kind-of";
import { toPublicError } from "../../protocol/public-error.js";

/** Members that all runnable entries have in common. */
export interface Runnable {
  readonly name: string;
  readonly deadlineMs: number | undefined;
}

/** Functions for one kind of entry. Each kind is a constant, so calls do not allocate functions. */
export interface OperationKind<Entry extends Runnable, Result> {
  /** Name of the kind in error messages, such as `Tool`. */
  readonly noun: string;
  run(entry: Entry, args: unknown, call: Call): MaybePromise<Result>;
  encode(entry: Entry, result: Result, incoming: Incoming): string;
  /** Returns the text of a result that is a single text block, so that it is serialized only when it is written. */
  plainText?(result: Result): string | undefined;
  /** Creates the response for an error. Must not throw. */
  fail(entry: Entry, error: unknown, incoming: Incoming): McpResponse;
}

/** Entry to run, with its arguments and the request. */
export interface Run<Entry extends Runnable, Result> {
  readonly kind: OperationKind<Entry, Result>;
  readonly entry: Entry;
  readonly args: unknown;
  readonly incoming: Incoming;
}

/** Runs an entry and returns the response. Rejects the call if its ID is in flight or a call limit is reached. */
export function runOperation<Entry extends Runnable, Result>(
  run: Run<Entry, Result>,
): MaybePromise<McpResponse> {
  const { incoming } = run;
  const { exchange, id } = incoming;
  if (exchange !== undefined) {
    if (exchange.isGone ?? exchange.signal?.aborted === true) return emptyResponse;
    const { connection } = exchange;
    const busy = busyResponse(connection, id, incoming.encoder.traits.era);
    if (busy !== undefined) return busy;
    const exceeded = incoming.services.load.exceededBy(exchange.messageLength);
    if (exceeded !== undefined) return refuse(incoming, "TOO_MANY_CALLS", exceeded);
  }
  const retry = readRetry(incoming);
  if (retry === undefined) return start(run, new Call(incoming));
  if (typeof retry === "string") return refuse(incoming, "INVALID_PARAMS", retry);
  return retry.requestState === undefined
    ? start(run, new Call(incoming, withAnswers(EMPTY_STATE, retry.inputResponses)))
    : resume(run, retry.requestState, retry.inputResponses);
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

/** Reads the responses and state from earlier rounds. Returns an error message if they are malformed. */
function readRetry({ params, encoder, method }: Incoming) {
  const { requestState, inputResponses } = params ?? {};
  if (requestState === undefined && inputResponses === undefined) return undefined;
  if (!encoder.traits.inputByRetry || !RETRYABLE_METHODS.some((name) => name === method)) return undefined;
  if (inputResponses !== undefined && !isJsonObject(inputResponses))
    return `\`inputResponses\` must be an object; got ${kindOf(inputResponses)}.`;
  if (requestState !== undefined && typeof requestState !== "string")
    return `\`requestState\` must be a string; got ${kindOf(requestState)}.`;
  return { requestState, inputResponses };
}

/** Decrypts the state from earlier rounds, then runs the handler. Meanwhile, the call already counts as in flight. */
function resume<Entry extends Runnable, Result>(
  run: Run<Entry, Result>,
  requestState: string,
  inputResponses: JsonObject | undefined,
): Promise<McpResponse> {
  const { incoming } = run;
  let call: Call | undefined;
  const opened = async (): Promise<Outcome<Result>> => {
    const state = await incoming.services.sealer
      .open(requestState, bindingOf(run))
      .catch((error: unknown) => {
        logStateFailure(run, error);
        return undefined;
      });
    if (state === undefined) return { error: INVALID_STATE };
    call = new Call(incoming, withAnswers(state, inputResponses));
    try {
      return { result: await run.kind.run(run.entry, run.args, call) };
    } catch (error) {
      return { error };
    }
  };
  return track(run, () => call, opened());
}

function start<Entry extends Runnable, Result>(
  run: Run<Entry, Result>,
  call: Call,
): MaybePromise<McpResponse> {
  const { kind, entry } = run;
  let outcome: MaybePromise<Result>;
  try {
    outcome = kind.run(entry, run.args, call);
    // Fast path: most calls finish synchronously and do not send requests to the client.
    if (!isPromise(outcome) && call.questions === undefined) {
      call.finish();
      return respond(run, outcome);
    }
  } catch (error) {
    return conclude(run, call, { error });
  }
  if (!isPromise(outcome)) return conclude(run, call, { result: outcome });
  return track(run, () => call, settled(outcome));
}

/** Waits for a handler's promise. `await` also handles thenables whose `then` method throws. */
async function settled<Result>(outcome: Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await outcome };
  } catch (error) {
    return { error };
  }
}

/** Waits for a handler to finish. Cancellation, disconnection, or the timeout settles the call earlier. */
function track<Entry extends Runnable, Result>(
  run: Run<Entry, Result>,
  callOf: () => Call | undefined,
  ended: Promise<Outcome<Result>>,
): Promise<McpResponse> {
  const { kind, entry, incoming } = run;
  const { exchange, id, services } = incoming;
  const messageLength = exchange?.messageLength;
  services.load.begin(messageLength);
  return new Promise((resolve, reject) => {
    let open = true;
    let stopTimer: (() => void) | undefined;
    let stopWatching: (() => void) | undefined;
    const settle = (response: McpResponse) => {
      if (!open) return;
      open = false;
      callOf()?.finish();
      stopTimer?.();
      stopWatching?.();
      exchange?.connection.end(id);
      resolve(response);
    };
    const cancel = (reason: unknown) => {
      settle(emptyResponse);
      callOf()?.abort(reason);
    };
    exchange?.connection.begin(id, cancel);
    if (entry.deadlineMs !== undefined) {
      const { deadlineMs } = entry;
      stopTimer = services.ports.startTimer(() => {
        const error = new McpError(
          "TIMEOUT",
          `${kind.noun} "${entry.name}" timed out after ${deadlineMs} ms.`,
        );
        settle(kind.fail(entry, error, incoming));
        callOf()?.abort(error);
      }, deadlineMs);
    }
    const finish = async (outcome: Outcome<Result>) => {
      services.load.end(messageLength);
      // If the call was settled earlier, the handler's late outcome is not sent or logged.
      if (open) settle(await conclude(run, callOf(), outcome));
    };
    ended.then(finish).catch(reject);
    // The client may have disconnected before the handler returned its promise.
    stopWatching = exchange === undefined ? undefined : onClientGone(exchange, cancel);
  });
}

/** Creates the response for a finished handler. Pending requests take precedence over its result or error. */
function conclude<Entry extends Runnable, Result>(
  run: Run<Entry, Result>,
  call: Call | undefined,
  outcome: Outcome<Result>,
): MaybePromise<McpResponse> {
  const { kind, entry, incoming } = run;
  call?.finish();
  const questions = call?.questions;
  if (questions?.open === true) return askClient(run, questions);
  if ("error" in outcome) return failRun(run, call, outcome.error);
  try {
    return respond(run, outcome.result);
  } catch (error) {
    return kind.fail(entry, error, incoming);
  }
}

/** Creates the response with a handler's result. @throws if the result cannot be serialized */
function respond<Entry extends Runnable, Result>(run: Run<Entry, Result>, result: Result): McpResponse {
  const { kind, entry, incoming } = run;
  const text = kind.plainText?.(result);
  return text !== undefined && text.length <= MAX_TEXT_LENGTH
    ? textResponse(incoming.id, text, incoming.encoder)
    : resultResponse(incoming.id, kind.encode(entry, result, incoming));
}

/** Creates the response for a handler that failed. An error that the client caused becomes a JSON-RPC error. */
export function failRun<Entry extends Runnable, Result>(
  { kind, entry, incoming }: Run<Entry, Result>,
  call: Call | undefined,
  error: unknown,
): McpResponse {
  const isFault = error === INVALID_STATE || call?.questions?.isFault(error) === true;
  const told = isFault && incoming.encoder.traits.inputByRetry ? toPublicError(error) : undefined;
  return told === undefined
    ? kind.fail(entry, error, incoming)
    : refuseWith(incoming, { error: told.code, message: told.message, data: told.details });
}

async function askClient<Entry extends Runnable, Result>(
  run: Run<Entry, Result>,
  questions: Questions,
): Promise<McpResponse> {
  const { incoming } = run;
  const { encoder, services } = incoming;
  try {
    const { inputRequests, state } = await questions.pending();
    const sealed = await services.sealer.seal(state, bindingOf(run));
    return resultResponse(incoming.id, encoder.inputRequired(inputRequests, sealed));
  } catch (error) {
    logStateFailure(run, error);
    return refuse(incoming, "INTERNAL_ERROR", "Internal error");
  }
}

function logStateFailure({ entry, incoming }: Run<Runnable, unknown>, error: unknown): void {
  const { services, method } = incoming;
  services.log?.({ level: "error", event: "state-failed", operation: method, name: entry.name, error });
}

function bindingOf({ entry, args, incoming }: Run<Runnable, unknown>): StateBinding {
  const { method, exchange, services } = incoming;
  const principal = exchange?.auth?.principal;
  return { server: services.serverName, principal, method, name: entry.name, args };
}

const INVALID_STATE = /* @__PURE__ */ new McpError(
  "INVALID_PARAMS",
  "`requestState` is invalid or expired. Start the call again without it.",
);
