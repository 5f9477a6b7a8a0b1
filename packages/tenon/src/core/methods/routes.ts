/**
 * @fileoverview Maps each era's method names to the functions that handle them.
 * @module tenon/core/methods/routes
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { type Era } from "../../protocol/index.js";
import { type MethodName, METHODS } from "../../protocol/revisions/methods.js";
import type { Incoming } from "../call/incoming.js";
import type { McpResponse } from "../wire/response.js";
import type { Snapshot } from "../snapshot/snapshot.js";
import { callTool } from "./call-tool.js";
import { complete } from "./complete.js";
import { getPrompt } from "./get-prompt.js";
import { list } from "./list.js";
import { listen } from "./listen.js";
import { discover, done, initialize, setLogLevel } from "./opening.js";
import { readResource } from "./read-resource.js";
import { subscribe, unsubscribe } from "./subscriptions.js";

/** Handles requests for one method. */
export type Method = (incoming: Incoming, snapshot: Snapshot) => MaybePromise<McpResponse>;

const METHOD_TABLE: Readonly<Record<MethodName, Method>> = {
  initialize,
  ping: done,
  "logging/setLevel": setLogLevel,
  "server/discover": discover,
  "tools/list": list,
  "tools/call": callTool,
  "resources/list": list,
  "resources/templates/list": list,
  "resources/read": readResource,
  "resources/subscribe": subscribe,
  "resources/unsubscribe": unsubscribe,
  "prompts/list": list,
  "prompts/get": getPrompt,
  "completion/complete": complete,
  "subscriptions/listen": listen,
};

/** Methods by era and name. Maps are used so that inherited names such as `constructor` do not match. */
export const ROUTES: Readonly<Record<Era, ReadonlyMap<string, Method>>> = {
  legacy: /* @__PURE__ */ new Map(METHODS.legacy.map((name) => [name, METHOD_TABLE[name]])),
  modern: /* @__PURE__ */ new Map(METHODS.modern.map((name) => [name, METHOD_TABLE[name]])),
};
