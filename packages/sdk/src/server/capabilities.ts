/**
 * @fileoverview Capabilities that a server and its client must declare for a method, with the official SDK's texts.
 * @module sdk/server/capabilities
 */
import type { ClientCapabilities } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { OutgoingRequest } from "../types.js";

/** Capability that a method needs, and the words that name it in an error. */
type Rules = Readonly<Record<string, readonly [capability: string, words: string]>>;

const SERVER_RULES: Rules = {
  "completion/complete": ["completions", "completions"],
  "logging/setLevel": ["logging", "logging"],
  "prompts/get": ["prompts", "prompts"],
  "prompts/list": ["prompts", "prompts"],
  "resources/list": ["resources", "resources"],
  "resources/templates/list": ["resources", "resources"],
  "resources/read": ["resources", "resources"],
  "tools/call": ["tools", "tools"],
  "tools/list": ["tools", "tools"],
  "notifications/message": ["logging", "logging"],
  "notifications/resources/updated": ["resources", "notifying about resources"],
  "notifications/resources/list_changed": ["resources", "notifying about resources"],
  "notifications/tools/list_changed": ["tools", "notifying of tool list changes"],
  "notifications/prompts/list_changed": ["prompts", "notifying of prompt list changes"],
};

const CLIENT_RULES: Rules = {
  "sampling/createMessage": ["sampling", "sampling"],
  "elicitation/create": ["elicitation", "elicitation"],
  "roots/list": ["roots", "listing roots"],
};

/** Adds capabilities. Members of one capability are merged too. */
export function mergeCapabilities(declared: JsonObject, added: object): JsonObject {
  const merged = Object.entries(added)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]: [string, unknown]) => {
      const known = declared[name];
      return [name, isJsonObject(known) && isJsonObject(value) ? { ...known, ...value } : value] as const;
    });
  return { ...declared, ...Object.fromEntries(merged) };
}

/** Describes the capability for a method that a server does not declare. Returns `undefined` if none is missing. */
export function describeUndeclared(method: string, declared: JsonObject): string | undefined {
  return describe("Server", method, { rules: SERVER_RULES, declared });
}

/** Describes the capability for a request that the client does not declare. Returns `undefined` if none is missing. */
export function describeUndeclaredByClient(
  method: string,
  declared: ClientCapabilities | undefined,
): string | undefined {
  return describe("Client", method, { rules: CLIENT_RULES, declared: { ...declared } });
}

function describe(
  side: string,
  method: string,
  { rules, declared }: { readonly rules: Rules; readonly declared: JsonObject },
): string | undefined {
  const [capability, words] = (Object.hasOwn(rules, method) ? rules[method] : undefined) ?? [];
  return capability === undefined || declared[capability]
    ? undefined
    : `${side} does not support ${words} (required for ${method})`;
}

/** Error for a client that cannot open pages, with the official SDK's text. */
export const NO_URL_ELICITATION =
  "Client does not support URL elicitation (required for notifications/elicitation/complete)";

/** Adds `form` to an empty `elicitation`, with which clients declared forms before modes existed. */
export function withForms(capabilities: ClientCapabilities): ClientCapabilities {
  const { elicitation } = capabilities;
  const isEmpty = elicitation !== undefined && Object.keys(elicitation).length === 0;
  return isEmpty ? { ...capabilities, elicitation: { form: {} } } : capabilities;
}

/**
 * Describes the kind of input or sampling in a request that the client does not support, with the official SDK's text.
 * Returns `undefined` if the client supports the request.
 */
export function describeUnsupported(
  request: OutgoingRequest,
  capabilities: ClientCapabilities = {},
): string | undefined {
  const { elicitation, sampling } = withForms(capabilities);
  const { mode, tools, toolChoice } = isJsonObject(request.params) ? request.params : ({} as JsonObject);
  if (request.method === "elicitation/create") {
    if (mode === "url" && elicitation?.url === undefined) return "Client does not support url elicitation.";
    if (mode !== "url" && elicitation?.form === undefined) return "Client does not support form elicitation.";
  }
  const usesTools = tools !== undefined || toolChoice !== undefined;
  return request.method === "sampling/createMessage" && usesTools && sampling?.["tools"] === undefined
    ? "Client does not support sampling tools capability."
    : undefined;
}
