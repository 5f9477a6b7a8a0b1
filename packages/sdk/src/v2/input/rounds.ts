/**
 * @fileoverview Runs callbacks that ask the client for input. In the stateless revision, the client repeats its request
 * with the responses. In earlier revisions, the server asks the client and runs the callback again.
 * @module sdk/v2/input/rounds
 */
import type { ClientCapabilities } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { MissingRequiredClientCapabilityError, ProtocolError, ProtocolErrorCode } from "../errors.js";
import type { AskOptions, ServerContext } from "../types.js";
import { hasInput, isInputRequiredResult, requestsOf } from "./input-required.js";

/** Methods whose callbacks may ask for input. */
export const INPUT_METHODS: readonly string[] = ["tools/call", "prompts/get", "resources/read"];

/** Settings of the rounds in the legacy revisions. */
export interface RoundSettings {
  readonly maxRounds: number;
  readonly roundTimeoutMs: number;
  /** False to reject input-required results in these revisions. */
  readonly legacyShim: boolean;
}

/** Applies the defaults. @throws {RangeError} if a setting is out of range */
export function toRoundSettings(given: Partial<RoundSettings> = {}): RoundSettings {
  const { maxRounds = 8, roundTimeoutMs = 600_000, legacyShim = true } = given;
  if (!Number.isInteger(maxRounds) || maxRounds < 1)
    throw new RangeError(`inputRequired.maxRounds must be a positive integer (got ${maxRounds})`);
  if (!Number.isFinite(roundTimeoutMs) || roundTimeoutMs <= 0)
    throw new RangeError(`inputRequired.roundTimeoutMs must be a positive number (got ${roundTimeoutMs})`);
  return { maxRounds, roundTimeoutMs, legacyShim };
}

/** Server functions that the rounds use. */
export interface RoundHost {
  readonly settings: RoundSettings;
  /** Capabilities of the client, or `undefined` if it never declared any. */
  readonly capabilities: ClientCapabilities | undefined;
  /** Verifies the state of the previous round. Returns its payload, or `undefined` to keep the text. */
  verify(state: string, ctx: ServerContext): Promise<unknown>;
  ask(
    request: { readonly method: string; readonly params?: JsonObject },
    options: AskOptions,
  ): Promise<unknown>;
}

/** One request for input inside a result. */
interface Asked {
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject | undefined;
}

/**
 * Checks an input-required result of a stateless request.
 *
 * @throws {ProtocolError} if it asks for nothing, or for something that the client does not support
 */
export function assertModernInput(method: string, result: JsonObject, host: RoundHost): void {
  assertHasInput(method, result);
  for (const asked of readAsked(method, result)) {
    const missing = missingFrom(requiredFor(asked.method, asked.params) ?? {}, host.capabilities);
    if (missing !== undefined) {
      throw new MissingRequiredClientCapabilityError(
        { requiredCapabilities: missing },
        `Cannot request input '${asked.key}' (${asked.method}): the request's client capabilities do not declare the required capability`,
      );
    }
  }
}

/** Asks the client for the input of a result, and runs the callback again until it returns a different result. */
export async function runLegacyRounds(
  first: JsonObject,
  ctx: ServerContext,
  { host, callback }: { readonly host: RoundHost; readonly callback: (ctx: ServerContext) => unknown },
): Promise<unknown> {
  const { method } = ctx.mcpReq;
  const { maxRounds } = host.settings;
  let result = first;
  for (let round = 0; round < maxRounds; round++) {
    assertHasInput(method, result);
    const asked = readAsked(method, result);
    const refusal = refusalOf(asked, host);
    if (refusal !== undefined) return fail(method, refusal);
    const outcome = await askAll(asked, ctx, host);
    if (typeof outcome === "string") return fail(method, outcome);
    const state = typeof result["requestState"] === "string" ? result["requestState"] : undefined;
    const next = await nextContext(ctx, { inputResponses: outcome, state, host });
    const value = await callback(next);
    if (!isInputRequiredResult(value)) return value;
    result = value;
  }
  return fail(
    method,
    `Multi-round-trip request '${method}' still required input after ${maxRounds} rounds (inputRequired.maxRounds)`,
  );
}

/** Returns a context with the state of the previous round, after it was verified. */
export async function withState(ctx: ServerContext, state: string, host: RoundHost): Promise<ServerContext> {
  const payload = await host.verify(state, ctx);
  return payload === undefined ? ctx : withRequestState(ctx, payload);
}

/** Returns a context whose `requestState` function returns a value. */
export function withRequestState(ctx: ServerContext, value: unknown): ServerContext {
  // Safe: the caller states the type of its own state.
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in the official SDK
  return { ...ctx, mcpReq: { ...ctx.mcpReq, requestState: <T>() => value as T | undefined } };
}

async function nextContext(
  ctx: ServerContext,
  given: {
    readonly inputResponses: JsonObject | undefined;
    readonly state: string | undefined;
    readonly host: RoundHost;
  },
): Promise<ServerContext> {
  const { inputResponses, state, host } = given;
  const mcpReq = { ...ctx.mcpReq, inputResponses, droppedInputResponseKeys: undefined };
  const next = withRequestState({ ...ctx, mcpReq }, state);
  return state === undefined ? next : withState(next, state, host);
}

/** Asks the client for all inputs at once. Returns an error message if one of the requests fails. */
async function askAll(
  asked: readonly Asked[],
  ctx: ServerContext,
  host: RoundHost,
): Promise<JsonObject | undefined | string> {
  const { signal, method } = ctx.mcpReq;
  if (asked.length === 0) {
    await pause(PAUSE_MS, signal);
    return undefined;
  }
  const round = new AbortController();
  const options: AskOptions = {
    timeout: host.settings.roundTimeoutMs,
    resetTimeoutOnProgress: true,
    onprogress: () => {},
    signal: AbortSignal.any([signal, round.signal]),
  };
  try {
    const answers = await Promise.all(
      asked.map(async ({ key, method: name, params }) => {
        const request = { method: name, params: withElicitationId(params) };
        return [key, await host.ask(request, options)] as const;
      }),
    );
    return Object.fromEntries(answers);
  } catch (error) {
    round.abort(error);
    if (signal.aborted) throw error;
    return `Fulfilling input required by '${method}' failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Adds the ID that earlier revisions require for opening a page. */
function withElicitationId(params: JsonObject | undefined): JsonObject {
  const isUrl = params?.["mode"] === "url" && params["elicitationId"] === undefined;
  return isUrl ? { ...params, elicitationId: crypto.randomUUID() } : (params ?? {});
}

/** Delay before a callback that only returned a state runs again, so that it cannot loop without pause. */
const PAUSE_MS = 250;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
  });
}

function refusalOf(asked: readonly Asked[], { capabilities }: RoundHost): string | undefined {
  const lacking = asked.find(
    ({ method, params }) => missingFrom(requiredFor(method, params) ?? {}, capabilities) !== undefined,
  );
  if (lacking === undefined) return undefined;
  const reason =
    `Cannot request input '${lacking.key}' (${lacking.method}): ` +
    "the client on this 2025-era connection did not declare the required capability";
  return capabilities === undefined
    ? `${reason} (no client capabilities are available on this connection)`
    : reason;
}

/** Reports a failed round: as a tool result, which the model sees, or as an error for prompts and resources. */
function fail(method: string, message: string): JsonObject {
  if (method === "tools/call") return { content: [{ type: "text", text: message }], isError: true };
  throw internal(message);
}

function readAsked(method: string, { inputRequests }: JsonObject): readonly Asked[] {
  return requestsOf(inputRequests).map(([key, entry]) => {
    const name = isJsonObject(entry) ? entry["method"] : undefined;
    const params = isJsonObject(entry) && isJsonObject(entry["params"]) ? entry["params"] : undefined;
    if (typeof name !== "string" || requiredFor(name, params) === undefined) {
      throw internal(
        `Handler for ${method} returned an invalid input request '${key}'. ` +
          "Supported requests: elicitation/create, sampling/createMessage, roots/list.",
      );
    }
    if (name !== "roots/list" && params === undefined)
      throw internal(`Handler for ${method} returned an input request '${key}' (${name}) without params`);
    return { key, method: name, params };
  });
}

function assertHasInput(method: string, result: JsonObject): void {
  if (hasInput(result)) return;
  throw internal(
    `Handler for ${method} returned an input-required result with neither inputRequests nor requestState. Set at least one.`,
  );
}

function internal(message: string): RoundError {
  return new RoundError(ProtocolErrorCode.InternalError, message);
}

/** Error of the rounds themselves. Unlike an error of a tool's callback, it is sent as a JSON-RPC error. */
export class RoundError extends ProtocolError {
  static override readonly mcpBrand = "tenon.RoundError";
}

/** Creates the error for a state that the client must not have changed. Its text does not say what is wrong. */
export function invalidState(): RoundError {
  return new RoundError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}

/** Returns the client capabilities that a request for input requires, or `undefined` for an unknown request. */
export function requiredFor(method: string, params: JsonObject | undefined): JsonObject | undefined {
  switch (method) {
    case "elicitation/create":
      return { elicitation: params?.["mode"] === "url" ? { url: {} } : { form: {} } };
    case "sampling/createMessage":
      return {
        sampling:
          params?.["tools"] === undefined && params?.["toolChoice"] === undefined ? {} : { tools: {} },
      };
    case "roots/list":
      return { roots: {} };
    default:
      return undefined;
  }
}

/** Returns the required capabilities that a client did not declare, or `undefined` if none is missing. */
export function missingFrom(
  required: JsonObject,
  declared: ClientCapabilities | undefined,
): JsonObject | undefined {
  const missing = Object.entries(required).flatMap(
    ([name, members]): readonly (readonly [string, unknown])[] => {
      const known: unknown = declared?.[name as keyof ClientCapabilities];
      if (known === undefined) return [[name, members]];
      if (!isJsonObject(members) || !isJsonObject(known)) return [];
      const isFormImplied =
        name === "elicitation" && known["form"] === undefined && known["url"] === undefined;
      const lacking = Object.entries(members).filter(
        ([member]) => known[member] === undefined && !(member === "form" && isFormImplied),
      );
      return lacking.length === 0 ? [] : [[name, Object.fromEntries(lacking)]];
    },
  );
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}
