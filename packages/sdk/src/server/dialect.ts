/**
 * @fileoverview Seam between the two versions of the official SDK. The server and the registrar are shared, and a dialect
 * contains everything in which the versions differ.
 * @module sdk/server/dialect
 */
import type { Auth, Exchange, McpResponse } from "tenon";
import type { CompiledSchema, Issue, Plan } from "tenon/host";
import type { JsonRpcResponse, McpPromptArgumentDefinition, ResultEncoder, ToolResult } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { AnySchema, ListResourcesCallback, ResourceMetadata } from "../types.js";
import type { Failure, Request, RequestScope } from "./requests/request-scope.js";

/** The current registrations of an `McpServer`, including disabled ones. */
export interface Registrations {
  /** Drafts of all enabled registrations. */
  readonly drafts: Pick<Plan, "tools" | "resources" | "templates" | "prompts">;
  /** List callbacks of all enabled templates, with each template's metadata. */
  readonly listers: readonly Lister[];
  /** Returns false if nothing with a completion callback was registered. */
  canComplete?(): boolean;
  hasResource(uri: string): boolean;
  /** Returns true for a disabled registration. A caller that lacks its scopes must not learn that it exists. */
  isDisabled(kind: "tools" | "resources" | "prompts", key: string, auth: Auth | undefined): boolean;
  /** Returns the pattern of a disabled template that matches a URI. */
  disabledTemplate(uri: string, auth: Auth | undefined): string | undefined;
  /** Returns true if a resource requires scopes that the caller lacks. */
  isHidden(uri: string, auth: Pick<Auth, "scopes"> | undefined): boolean;
}

/** A template's list callback, with the template's metadata and scopes. */
export interface Lister {
  readonly list: ListResourcesCallback;
  readonly metadata: ResourceMetadata;
  readonly scopes: readonly string[];
}

/** Registrations of a low-level server without an `McpServer`. */
export const NO_REGISTRATIONS: Registrations = {
  drafts: { tools: [], resources: [], templates: [], prompts: [] },
  listers: [],
  hasResource: () => false,
  isDisabled: () => false,
  disabledTemplate: () => undefined,
  isHidden: () => false,
};

/** An application's handler and the schema that parses its messages. */
export interface OwnHandler {
  readonly schema: unknown;
  readonly handler: (message: unknown, extra: unknown) => unknown;
  /** True if the handler serves only the legacy revisions. */
  readonly isLegacy?: boolean;
}

/** Handlers that the application has set on a server, in addition to tools, resources, and prompts. */
export interface Hooks {
  /** Capabilities to declare even if nothing is registered. */
  readonly capabilities: JsonObject;
  readonly requestHandlers: ReadonlyMap<string, OwnHandler>;
  readonly notificationHandlers: ReadonlyMap<string, OwnHandler>;
  readonly fallbackRequestHandler?: OwnHandler["handler"] | undefined;
  readonly fallbackNotificationHandler?: ((notification: unknown) => unknown) | undefined;
  readonly oninitialized?: (() => void) | undefined;
  /** Takes a response to a queued request. Returns false if the response belongs to another request. */
  takeResponse?(response: JsonRpcResponse): boolean;
  readonly onerror?: ((error: Error) => void) | undefined;
}

/** Encoder and registrations for the conversion of a reply. */
export interface Conversion {
  readonly encoderOf: () => ResultEncoder;
  readonly registrations: Registrations;
}

/** Behavior that differs between versions 1 and 2 of the official SDK. */
export interface Dialect {
  /** True if a subscription that the application's own handler accepts selects the clients for updates. */
  readonly tracksSubscriptions: boolean;
  /** True if the listed title of a resource is the one in its metadata. */
  readonly listsMetadataTitle: boolean;
  /** True if a tool's structured content may be any JSON value, not only an object. */
  readonly anyOutput: boolean;
  /** Describes validation issues in an error message. */
  describeIssues(issues: readonly Issue[]): string;
  /** Returns the message of an error with a JSON-RPC code. */
  describeError(code: number, text: string): string;
  /** Returns the schema of a registration. A raw shape becomes an object schema. @throws for any other value */
  toSchema(this: void, given: unknown): AnySchema | undefined;
  /** Compiles a schema. @throws if it cannot be converted to JSON Schema */
  compile(schema: AnySchema, label: string, side: "input" | "output"): CompiledSchema;
  /** Lists the arguments of a prompt. */
  listArguments(schema: AnySchema, compiled: CompiledSchema): readonly McpPromptArgumentDefinition[];
  /** Creates the last argument of a callback. */
  argumentOf(scope: RequestScope): unknown;
  /** Runs a callback with its last argument, and returns its result. */
  run(scope: RequestScope, callback: (argument: unknown) => unknown): unknown;
  /** Runs an application's request handler, and returns its result. */
  runOwn(own: OwnHandler, scope: RequestScope): Promise<unknown>;
  /** Converts an error of a tool's callback to a result, or throws the error that the core reports. */
  failTool(scope: RequestScope, error: unknown): MaybePromise<ToolResult>;
  /** Creates the error response for a request whose handler failed. */
  toErrorReply(this: void, scope: RequestScope, failure: Failure): McpResponse;
  /** Returns the handler of a method that neither the application nor the core handles. */
  missing?(method: string): OwnHandler | undefined;
  /** Returns the response to a request that the core must not handle. */
  intercept?(message: Request, exchange: Exchange | undefined): McpResponse | undefined;
  /** Changes a request before the core handles it. */
  prepare(message: Request, exchange: Exchange | undefined, registrations: Registrations): Request;
  /** Returns true if the core's reply to a method is sent unchanged. */
  isPlain(method: string, exchange: Exchange | undefined): boolean;
  /** Converts the core's reply. */
  convert(scope: RequestScope, response: McpResponse, conversion: Conversion): McpResponse;
  /** Adds data to a successful reply that the core does not have at build time, such as declared capabilities. */
  complete(scope: RequestScope, response: McpResponse): McpResponse;
}

/** Methods that do not run application code and whose legacy replies match the official SDK's. */
export const PLAIN_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "ping",
  "logging/setLevel",
  "tools/list",
  "prompts/list",
  "resources/templates/list",
]);

/** Methods that the core handles, but that the official SDK leaves to the application. */
export const UNSERVED_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "resources/subscribe",
  "resources/unsubscribe",
]);
