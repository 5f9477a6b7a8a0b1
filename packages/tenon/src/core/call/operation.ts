/**
 * @fileoverview Runs a handler: opens the sealed state, handles cancellation, timeout and errors, and sends questions
 * to the client. A synchronous handler is run without promises.
 * @module core/operation
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { McpError } from "../../protocol/index.js";
import { RETRYABLE_METHODS } from "../../protocol/revisions/methods.js";
import { Call } from "./call.js";
import { type Incoming, refuse, refuseWith } from "./incoming.js";
import { type McpResponse, emptyResponse, resultResponse } from "../wire/response.js";
import { type Questions, withAnswers } from "./questions.js";
import { EMPTY_STATE, type StateBinding } from "./state.js";
import { toPublicError } from "../../protocol/public-error.js";

/** Common members of entries that can be run. */
export interface Runnable {
  readonly name: string;
  readonly deadlineMs: number | undefined;
}

/** Functions that run, encode and fail one kind of entry. There is one constant per kind, so calls allocate none. */
export interface OperationKind<Entry extends Runnable, Result> {
  readonly noun: string;
  run(entry: Entry, args: unknown, call: Call): MaybePromise<Result>;
  encode(entry: Entry, result: Result, incoming: Incoming): string;
  /** Creates the response for an error. Must not throw. */
  fail(entry: Entry, error: unknown, incoming: Incoming): McpResponse;
}

/** One run of an entry. */
export interface Run<Entry extends Runnable, Result> {
  readonly kind: OperationKind<Entry, Result>;
  readonly entry: Entry;
  readonly args: unknown;
  readonly incoming: Incoming;
}

/** Runs an entry and returns the response. */
export function runOperation<Entry extends Runnable, Result>(
  run: Run<Entry, Result>,
): MaybePromise<McpResponse> {
  const { incoming } = run;
  const { exchange, id } = incoming;
  if (exchange !== undefined) {
    if (exchange.isGone ?? exchange.signal?.aborted === true) return emptyResponse;
    const { connection } = exchange;
    if (connection.isInFlight(id))
      return refuse(incoming, "INVALID_REQUEST", "A call with this id is already in flight.");
    if (connection.isFull())
      return refuse(incoming, "TOO_MANY_CALLS", "Too many calls are in flight on this connection.");
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

/** Reads the answers and state of an earlier round. Returns a message if they are malformed, `undefined` if absent. */
function readRetry({ params, encoder, method }: Incoming) {
  const { requestState, inputResponses } = params ?? {};
  if (requestState === undefined && inputResponses === undefined) return undefined;
  if (!encoder.traits.inputByRetry || !RETRYABLE_METHODS.some((name) => name === method)) return undefined;
  if (inputResponses !== undefined && !isJsonObject(inputResponses))
    return "`inputResponses` must be an object.";
  if (requestState !== undefined && typeof requestState !== "string")
    return "`requestState` must be a string.";
  return { requestState, inputResponses };
}

/** Opens the state of an earlier round, then runs the handler. The call counts as in flight while the state opens. */
function resume<Entry extends Runnable, Result>(
  run: Run<Entry, Result>,
  requestState: string,
  inputResponses: JsonObject | undefined,
): Promise<McpResponse> {
  const { incoming } = run;
  let call: Call | undefined;
  const opened = async (): Promise<Outcome<Result>> => {
    const { sealer } = incoming.services;
    const state = await sealer.open(requestState, bindingOf(run)).catch(() => undefined);
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
  const { kind, entry, incoming } = run;
  let outcome: MaybePromise<Result>;
  try {
    outcome = kind.run(entry, run.args, call);
    // Fast path: most calls finish synchronously without questions.
    if (!isPromise(outcome) && call.questions === undefined) {
      call.finish();
      return resultResponse(incoming.id, kind.encode(entry, outcome, incoming));
    }
  } catch (error) {
    return conclude(run, call, { error });
  }
  if (!isPromise(outcome)) return conclude(run, call, { result: outcome });
  return track(run, () => call, settled(outcome));
}

/** Waits for a handler's promise. `await` also handles thenables whose `then` throws or returns nothing. */
async function settled<Result>(outcome: Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await outcome };
  } catch (error) {
    return { error };
  }
}

/** Waits for a handler. Cancellation, disconnection and the timeout settle the call early. */
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
    const settle = (response: McpResponse) => {
      if (!open) return;
      open = false;
      callOf()?.finish();
      stopTimer?.();
      exchange?.connection.end(id);
      exchange?.signal?.removeEventListener("abort", onGone);
      resolve(response);
    };
    const cancel = (reason: unknown) => {
      settle(emptyResponse);
      callOf()?.abort(reason);
    };
    const onGone = () => cancel(exchange?.signal?.reason);
    exchange?.connection.begin(id, cancel);
    exchange?.signal?.addEventListener("abort", onGone);
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
      // A handler that ends after its call was settled gets no response and is not logged.
      if (open) settle(await conclude(run, callOf(), outcome));
    };
    ended.then(finish).catch(reject);
    // The client may have disconnected before the handler returned its promise.
    if (exchange?.signal?.aborted === true) onGone();
  });
}

/** Creates the response for a finished handler. Open questions take precedence over its result or error. */
function conclude<Entry extends Runnable, Result>(
  run: Run<Entry, Result>,
  call: Call | undefined,
  outcome: Outcome<Result>,
): MaybePromise<McpResponse> {
  const { kind, entry, incoming } = run;
  call?.finish();
  const questions = call?.questions;
  if (questions?.open === true) return askClient(run, questions);
  if ("error" in outcome) {
    const { error } = outcome;
    const isFault = error === INVALID_STATE || questions?.isFault(error) === true;
    const told = isFault && incoming.encoder.traits.inputByRetry ? toPublicError(error) : undefined;
    return told === undefined
      ? kind.fail(entry, error, incoming)
      : refuseWith(incoming, { error: told.code, message: told.message, data: told.details });
  }
  try {
    return resultResponse(incoming.id, kind.encode(entry, outcome.result, incoming));
  } catch (error) {
    return kind.fail(entry, error, incoming);
  }
}

async function askClient<Entry extends Runnable, Result>(
  run: Run<Entry, Result>,
  questions: Questions,
): Promise<McpResponse> {
  const { entry, incoming } = run;
  const { encoder, services, method } = incoming;
  try {
    const { inputRequests, state } = await questions.pending();
    const sealed = await services.sealer.seal(state, bindingOf(run));
    return resultResponse(incoming.id, encoder.inputRequired(inputRequests, sealed));
  } catch (error) {
    services.log?.({ level: "error", event: "state-failed", operation: method, name: entry.name, error });
    return refuse(incoming, "INTERNAL_ERROR", "Internal error");
  }
}

function bindingOf({ entry, args, incoming }: Run<Runnable, unknown>): StateBinding {
  const { method, exchange } = incoming;
  return { principal: exchange?.auth?.principal, method, name: entry.name, args };
}

const INVALID_STATE = /* @__PURE__ */ new McpError(
  "INVALID_PARAMS",
  "`requestState` is invalid or expired. Start the call again without it.",
);
