/**
 * @fileoverview Model of the methods of the fuzzed server: the results and error codes that each request may get.
 * @module tools/fuzz/model/method-rules
 */
import { CODES, type Fields, isFields } from "./json-rules.js";

/** Era of a protocol revision. */
export type Era = "legacy" | "modern";

/** Replies that a request may get. */
export interface Allowed {
  /** True if a result is right. */
  readonly result: boolean;
  /** Error codes that are right. */
  readonly codes: readonly number[];
  /** True if the reply may come when the connection ends, or never. */
  readonly isHeld?: boolean;
}

/** Facts that the rule for a method depends on. */
export interface RequestFacts {
  readonly era: Era;
  /** False if messages arrive without a connection. */
  readonly hasConnection: boolean;
  readonly params: Fields | undefined;
}

type Rule = (facts: RequestFacts) => Allowed;

const RESULT: Allowed = { result: true, codes: [] };
const INVALID_PARAMS: Allowed = only(CODES.invalidParams);

/** Levels of log messages. */
export const LOG_LEVELS: ReadonlySet<unknown> = new Set([
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
]);

const TOOLS = ["typed", "structured", "later", "broken", "rejected", "told", "asks", "json"];

/** Returns an error code as the only right reply. */
export function only(...codes: readonly number[]): Allowed {
  return { result: false, codes };
}

/** Returns the replies that a request with valid parameters and a valid envelope may get. */
export function allowedFor(method: string, facts: RequestFacts): Allowed {
  const rule = RULES[facts.era].get(method);
  if (rule !== undefined) return rule(facts);
  return only(method.startsWith("notifications/") ? CODES.invalidRequest : CODES.methodNotFound);
}

const list: Rule = ({ params }) => {
  const cursor = params?.["cursor"];
  if (cursor === undefined) return RESULT;
  return typeof cursor === "string" ? oneOf(CODES.invalidParams) : INVALID_PARAMS;
};

const callTool: Rule = ({ era, params }) => {
  const name = params?.["name"];
  if (params === undefined || typeof name !== "string") return INVALID_PARAMS;
  if (!TOOLS.includes(name)) return only(era === "legacy" ? CODES.methodNotFound : CODES.invalidParams);
  const args = params["arguments"];
  if (args !== undefined && args !== null && !isFields(args)) return INVALID_PARAMS;
  // A call that asks the client for input fails if the client cannot be asked.
  if (name === "asks") return oneOf(CODES.invalidParams, CODES.invalidRequest, CODES.missingCapability);
  return isRetry(era, params) ? oneOf(CODES.invalidParams) : RESULT;
};

const readResource: Rule = ({ era, params }) => {
  const name = params?.["name"];
  const uri = params?.["uri"];
  const missing = era === "legacy" ? CODES.resourceNotFound : CODES.invalidParams;
  if (params === undefined) return INVALID_PARAMS;
  // The handler of this resource fails, which is not the client's mistake.
  if (uri === "doc://broken" || name === "broken") return oneOf(CODES.internal, CODES.invalidParams, missing);
  if (typeof uri !== "string")
    return typeof name === "string" ? oneOf(missing, CODES.invalidParams) : INVALID_PARAMS;
  if (typeof name === "string" || isRetry(era, params)) return oneOf(missing, CODES.invalidParams);
  if (uri === "doc://fixed") return RESULT;
  return uri.startsWith("doc://") ? oneOf(missing, CODES.invalidParams) : only(missing);
};

const getPrompt: Rule = ({ era, params }) => {
  if (params === undefined || params["name"] !== "prompt") return INVALID_PARAMS;
  const args = params["arguments"];
  if (args === undefined || args === null || !isFields(args) || typeof args["x"] !== "string")
    return INVALID_PARAMS;
  return isRetry(era, params) ? oneOf(CODES.invalidParams) : RESULT;
};

const complete: Rule = ({ params }) => {
  const ref = params?.["ref"];
  const argument = params?.["argument"];
  if (!isFields(ref) || !isFields(argument)) return INVALID_PARAMS;
  if (typeof argument["name"] !== "string" || typeof argument["value"] !== "string") return INVALID_PARAMS;
  const isKnown = ref["type"] === "ref/prompt" && ref["name"] === "prompt" && argument["name"] === "x";
  return isKnown ? RESULT : oneOf(CODES.invalidParams);
};

const subscribe: Rule = ({ params, hasConnection }) => {
  if (typeof params?.["uri"] !== "string") return INVALID_PARAMS;
  if (!hasConnection) return only(CODES.methodNotFound);
  return params["uri"] === "doc://fixed" ? RESULT : oneOf(CODES.resourceNotFound);
};

const listen: Rule = ({ params }) => {
  const filter = params?.["notifications"];
  if (!isFields(filter)) return INVALID_PARAMS;
  const uris = filter["resourceSubscriptions"];
  if (uris !== undefined && !(Array.isArray(uris) && uris.every((uri) => typeof uri === "string")))
    return INVALID_PARAMS;
  return { result: true, codes: [CODES.invalidRequest], isHeld: true };
};

const SHARED: Readonly<Record<string, Rule>> = {
  "tools/list": list,
  "resources/list": list,
  "resources/templates/list": list,
  "prompts/list": list,
  "tools/call": callTool,
  "resources/read": readResource,
  "prompts/get": getPrompt,
  "completion/complete": complete,
  "c/d": () => RESULT,
};

const RULES: Readonly<Record<Era, ReadonlyMap<string, Rule>>> = {
  legacy: new Map<string, Rule>(
    Object.entries({
      ...SHARED,
      initialize: () => RESULT,
      ping: () => RESULT,
      "logging/setLevel": ({ params }) => (LOG_LEVELS.has(params?.["level"]) ? RESULT : INVALID_PARAMS),
      "resources/subscribe": subscribe,
      "resources/unsubscribe": ({ params }) =>
        typeof params?.["uri"] === "string" ? RESULT : INVALID_PARAMS,
    } satisfies Readonly<Record<string, Rule>>),
  ),
  modern: new Map<string, Rule>(
    Object.entries({
      ...SHARED,
      "server/discover": () => RESULT,
      "subscriptions/listen": listen,
    } satisfies Readonly<Record<string, Rule>>),
  ),
};

/** Returns true if a request continues an earlier one. Its state is never valid here. */
function isRetry(era: Era, params: Fields): boolean {
  return era === "modern" && (params["requestState"] !== undefined || params["inputResponses"] !== undefined);
}

function oneOf(...codes: readonly number[]): Allowed {
  return { result: true, codes };
}
