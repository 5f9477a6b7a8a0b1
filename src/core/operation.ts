/**
 * @fileoverview Runs a handler: sealed state before it, questions after it, and in between cancellation, deadline
 * and every way it may fail. A handler that answers at once never meets a promise.
 * @module core/operation
 */
import { isJsonObject } from "../internal/json.js";
import { isPromise, type MaybePromise } from "../internal/maybe-promise.js";
import { McpError } from "../protocol/index.js";
import { Call } from "./call.js";
import { type Incoming, refuse } from "./incoming.js";
import { type McpResponse, notificationResponse, resultResponse } from "./response.js";
import { withAnswers } from "./questions.js";
import { EMPTY_STATE, type StateBinding } from "./state.js";

/** What all entries that can be run have in common. */
export interface Runnable {
  readonly name: string;
  readonly deadlineMs: number | undefined;
}

/** How one kind of entry runs, answers and fails. One constant for each kind: nothing of it is made per call. */
export interface OperationKind<Entry extends Runnable, Result> {
  readonly noun: string;
  run(entry: Entry, args: unknown, call: Call): MaybePromise<Result>;
  encode(entry: Entry, result: Result, incoming: Incoming): string;
  /** Must not throw. */
  fail(entry: Entry, error: unknown, incoming: Incoming): McpResponse;
}

/** Runs an entry and gives the reply. */
export function runOperation<Entry extends Runnable, Result>(
  kind: OperationKind<Entry, Result>,
  entry: Entry,
  args: unknown,
  incoming: Incoming,
): MaybePromise<McpResponse> {
  const { params, encoder } = incoming;
  if (!encoder.traits.stateless) return start(kind, entry, args, new Call(incoming), incoming);
  const requestState = params?.["requestState"];
  const inputResponses = params?.["inputResponses"];
  if (inputResponses !== undefined && !isJsonObject(inputResponses)) {
    return refuse(incoming, "INVALID_PARAMS", "inputResponses must be an object");
  }
  if (requestState === undefined) {
    const call = new Call(incoming, withAnswers(EMPTY_STATE, inputResponses));
    return start(kind, entry, args, call, incoming);
  }
  if (typeof requestState !== "string") {
    return refuse(incoming, "INVALID_PARAMS", "requestState must be a string");
  }
  return resume(kind, entry, args, requestState, incoming);
}

async function resume<Entry extends Runnable, Result>(
  kind: OperationKind<Entry, Result>,
  entry: Entry,
  args: unknown,
  requestState: string,
  incoming: Incoming,
): Promise<McpResponse> {
  const { sealer } = incoming.services;
  const state = await sealer.open(requestState, bindingOf(entry, args, incoming)).catch(() => undefined);
  if (state === undefined) {
    return refuse(incoming, "INVALID_PARAMS", "requestState is invalid or expired; start the call anew");
  }
  const call = new Call(incoming, withAnswers(state, incoming.params?.["inputResponses"]));
  return start(kind, entry, args, call, incoming);
}

function start<Entry extends Runnable, Result>(
  kind: OperationKind<Entry, Result>,
  entry: Entry,
  args: unknown,
  call: Call,
  incoming: Incoming,
): MaybePromise<McpResponse> {
  const { exchange, id } = incoming;
  if (exchange !== undefined) {
    if (exchange.signal?.aborted === true) return notificationResponse;
    const { connection } = exchange;
    if (connection.isUnderWay(id))
      return refuse(incoming, "INVALID_REQUEST", "a call with this id is under way");
    if (connection.isFull()) return refuse(incoming, "TOO_MANY_CALLS", "too many calls are under way");
  }
  let outcome: MaybePromise<Result>;
  try {
    outcome = kind.run(entry, args, call);
  } catch (error) {
    return conclude(kind, entry, args, call, incoming, { error });
  }
  return isPromise(outcome)
    ? track(kind, entry, args, call, incoming, outcome)
    : conclude(kind, entry, args, call, incoming, { result: outcome });
}

/** Waits for a handler; cancellation, a gone client and the deadline do not wait with it. */
function track<Entry extends Runnable, Result>(
  kind: OperationKind<Entry, Result>,
  entry: Entry,
  args: unknown,
  call: Call,
  incoming: Incoming,
  outcome: Promise<Result>,
): Promise<McpResponse> {
  const { exchange, id, services } = incoming;
  return new Promise((resolve, reject) => {
    let stopTimer: (() => void) | undefined;
    const onGone = () => cancel(exchange?.signal?.reason);
    const settle = (response: McpResponse) => {
      call.finish();
      stopTimer?.();
      exchange?.connection.end(id);
      exchange?.signal?.removeEventListener("abort", onGone);
      resolve(response);
    };
    const cancel = (reason: unknown) => {
      settle(notificationResponse);
      call.abort(reason);
    };
    exchange?.connection.begin(id, cancel);
    exchange?.signal?.addEventListener("abort", onGone);
    if (entry.deadlineMs !== undefined) {
      const { deadlineMs } = entry;
      stopTimer = services.ports.startTimer(() => {
        const error = new McpError("TIMEOUT", `${kind.noun} ${entry.name} timed out after ${deadlineMs} ms`);
        settle(kind.fail(entry, error, incoming));
        call.abort(error);
      }, deadlineMs);
    }
    const finish = async (ended: Outcome<Result>) =>
      settle(await conclude(kind, entry, args, call, incoming, ended));
    outcome
      .then(
        (result) => finish({ result }),
        (error: unknown) => finish({ error }),
      )
      .catch(reject);
  });
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

/** The reply to a handler that ended. Open questions win over whatever it returned or threw. */
function conclude<Entry extends Runnable, Result>(
  kind: OperationKind<Entry, Result>,
  entry: Entry,
  args: unknown,
  call: Call,
  incoming: Incoming,
  outcome: Outcome<Result>,
): MaybePromise<McpResponse> {
  const { questions } = call;
  if (questions?.open === true) return askClient(entry, args, call, incoming);
  call.finish();
  if ("error" in outcome) {
    const { error } = outcome;
    if (
      questions?.isFault(error) === true &&
      error instanceof McpError &&
      incoming.encoder.traits.stateless
    ) {
      return refuse(incoming, error.code, error.message, { data: error.details });
    }
    return kind.fail(entry, error, incoming);
  }
  try {
    return resultResponse(incoming.id, kind.encode(entry, outcome.result, incoming));
  } catch (error) {
    return kind.fail(entry, error, incoming);
  }
}

async function askClient(
  entry: Runnable,
  args: unknown,
  call: Call,
  incoming: Incoming,
): Promise<McpResponse> {
  const { encoder, services, method } = incoming;
  try {
    const { inputRequests, state } = call.questions?.pending() ?? { inputRequests: {}, state: EMPTY_STATE };
    const sealed = await services.sealer.seal(state, bindingOf(entry, args, incoming));
    return resultResponse(incoming.id, encoder.inputRequired(inputRequests, sealed));
  } catch (error) {
    services.log?.({ level: "error", event: "state-failed", operation: method, name: entry.name, error });
    return refuse(incoming, "INTERNAL_ERROR", "Internal error");
  }
}

function bindingOf(entry: Runnable, args: unknown, { method, exchange }: Incoming): StateBinding {
  return { principal: exchange?.auth?.principal, method, name: entry.name, args };
}
