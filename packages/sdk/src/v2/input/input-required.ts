/**
 * @fileoverview Results that ask the client for input, and functions that read its responses.
 * @module sdk/v2/input/input-required
 */
import type { Root, SamplingRequest } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type {
  InputRequest,
  InputRequiredResult,
  OutputOf,
  SamplingResult,
  StandardSchema,
  StandardSchemaWithJSON,
} from "../types.js";
import { toFormSchema } from "./form-schema.js";

/** Requests for input, and state for the next round. At least one of them is required. */
export interface InputRequiredSpec {
  /** Requests that the client fulfills before it repeats its own request, by key. */
  readonly inputRequests?: { readonly [key: string]: InputRequest };
  /** Text that the client returns unchanged. See `createRequestStateCodec`. */
  readonly requestState?: string;
}

/** Form for the user. Its schema is a JSON Schema or a Standard Schema with flat, primitive properties. */
export interface ElicitInputParams {
  readonly message: string;
  readonly requestedSchema: object | StandardSchemaWithJSON;
  readonly [key: string]: unknown;
}

/** Builds input-required results and the requests inside them. */
export interface InputRequiredBuilder {
  /** Builds a result that asks the client for input. @throws if it has neither requests nor a state */
  (spec: InputRequiredSpec): InputRequiredResult;
  /** Builds a request for a form. @throws if the schema cannot be shown as a form */
  elicit(params: ElicitInputParams): InputRequest;
  /** Builds a request to open a page. */
  elicitUrl(params: { readonly message: string; readonly url: string }): InputRequest;
  /** Builds a request for a completion from the client's model. */
  createMessage(params: SamplingRequest): InputRequest;
  /** Builds a request for the client's roots. */
  listRoots(): InputRequest;
}

/** Builds a result that asks the client for input. Return it from a tool, prompt, or resource callback. */
export const inputRequired: InputRequiredBuilder = /* @__PURE__ */ Object.assign(build, {
  elicit: ({ requestedSchema, ...rest }: ElicitInputParams): InputRequest => ({
    method: "elicitation/create",
    params: { ...rest, mode: "form", requestedSchema: toFormSchema(requestedSchema) },
  }),
  elicitUrl: (params: object): InputRequest => ({
    method: "elicitation/create",
    params: { ...params, mode: "url" },
  }),
  createMessage: (params: SamplingRequest): InputRequest => ({ method: "sampling/createMessage", params }),
  listRoots: (): InputRequest => ({ method: "roots/list" }),
});

function build({ inputRequests, requestState }: InputRequiredSpec): InputRequiredResult {
  if (!hasInput({ inputRequests, requestState })) {
    throw new TypeError("inputRequired: set `inputRequests` to at least one request, or set `requestState`.");
  }
  return {
    resultType: "input_required",
    ...(inputRequests === undefined ? {} : { inputRequests }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

/** Returns true if a result has at least one request or a state. */
export function hasInput({ inputRequests, requestState }: JsonObject): boolean {
  return requestsOf(inputRequests).length > 0 || typeof requestState === "string";
}

/** Returns the requests of an input-required result, with their keys. */
export function requestsOf(inputRequests: unknown): readonly (readonly [string, unknown])[] {
  return typeof inputRequests === "object" && inputRequests !== null ? Object.entries(inputRequests) : [];
}

/** Recognizes a result that asks the client for input. */
export function isInputRequiredResult(value: unknown): value is InputRequiredResult {
  return isJsonObject(value) && value["resultType"] === "input_required";
}

/** A client's response to one request for input. */
export type InputResponseView =
  | { kind: "missing" }
  | { kind: "elicit"; action: "accept" | "decline" | "cancel"; content?: Record<string, unknown> }
  | { kind: "sampling"; result: SamplingResult }
  | { kind: "roots"; roots: Root[] };

/** Reads the response with a key. The values inside it are not validated. */
export function inputResponse(
  responses: { readonly [key: string]: unknown } | undefined,
  key: string,
): InputResponseView {
  const entry = isJsonObject(responses) && Object.hasOwn(responses, key) ? responses[key] : undefined;
  if (!isJsonObject(entry)) return { kind: "missing" };
  const { action, content, roots, role } = entry;
  if (action === "accept" || action === "decline" || action === "cancel") {
    return { kind: "elicit", action, ...(isJsonObject(content) ? { content: { ...content } } : {}) };
  }
  if (Array.isArray(roots)) return { kind: "roots", roots: roots as Root[] }; // Not validated
  return typeof role === "string" && content !== undefined
    ? { kind: "sampling", result: entry as unknown as SamplingResult } // Not validated
    : { kind: "missing" };
}

/**
 * Returns the content of an accepted form, or `undefined` if there is none. With a schema, also returns `undefined` if
 * the content does not match it.
 *
 * @throws if the schema validates asynchronously
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller states the type, as in the official SDK
export function acceptedContent<T extends Record<string, unknown> = Record<string, unknown>>(
  responses: { readonly [key: string]: unknown } | undefined,
  key: string,
): T | undefined;
/** Returns the content of an accepted form that matches a schema, or `undefined`. */
export function acceptedContent<Schema extends StandardSchema>(
  responses: { readonly [key: string]: unknown } | undefined,
  key: string,
  schema: Schema,
): OutputOf<Schema> | undefined;
/** Returns the content of an accepted form, or `undefined`. */
export function acceptedContent(
  responses: { readonly [key: string]: unknown } | undefined,
  key: string,
  schema?: StandardSchema,
): unknown {
  const response = inputResponse(responses, key);
  if (response.kind !== "elicit" || response.action !== "accept") return undefined;
  if (schema === undefined || response.content === undefined) return response.content;
  const checked = schema["~standard"].validate(response.content);
  if (checked instanceof Promise) {
    throw new TypeError("acceptedContent: the schema must validate synchronously.");
  }
  return checked.issues === undefined ? checked.value : undefined;
}

/** Extends a schema to accept input-required results too. */
export function withInputRequired<Schema extends StandardSchema>(
  schema: Schema,
): StandardSchema<unknown, OutputOf<Schema> | InputRequiredResult> {
  const { validate } = schema["~standard"];
  return {
    "~standard": {
      version: 1,
      vendor: "tenon",
      // Safe: the schema's own function returns its output type.
      validate: (value) => (isInputRequiredResult(value) ? { value } : validate(value)),
    },
  };
}
