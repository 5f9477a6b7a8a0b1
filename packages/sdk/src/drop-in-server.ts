/**
 * @fileoverview Public type of the low-level drop-in `Server`. It is the official SDK's own type if it is installed.
 * @module sdk/drop-in-server
 */
import type { Implementation } from "tenon/protocol";
import type { IfInstalled } from "./if-installed.js";
import type { FacadeServer } from "./mcp-server/facade-server.js";
import { LowLevelServer, type LowLevelServerOptions } from "./mcp-server/low-level/low-level-server.js";

// Each import type needs its own comment, because the official SDK may be missing. The comment must be a JSDoc comment
// on one line: other comments are not copied to the declarations.
/* oxlint-disable typescript/ban-ts-comment, typescript/consistent-type-imports */

/** @ts-ignore `any` without the official SDK */
type SdkServer<
  RequestT extends SdkRequest,
  NotificationT extends SdkNotification,
  ResultT extends SdkResult,
> = import("@modelcontextprotocol/sdk/server/index.js").Server<RequestT, NotificationT, ResultT>;
/** @ts-ignore `any` without the official SDK */
type SdkOptions = import("@modelcontextprotocol/sdk/server/index.js").ServerOptions;
/** @ts-ignore `any` without the official SDK */
type SdkInfo = import("@modelcontextprotocol/sdk/types.js").Implementation;
/** @ts-ignore `any` without the official SDK */
type SdkRequest = import("@modelcontextprotocol/sdk/types.js").Request;
/** @ts-ignore `any` without the official SDK */
type SdkNotification = import("@modelcontextprotocol/sdk/types.js").Notification;
/** @ts-ignore `any` without the official SDK */
type SdkResult = import("@modelcontextprotocol/sdk/types.js").Result;

/** Members that Tenon adds to the official `Server`. */
interface TenonMembers {
  /** Starts a Tenon transport from its configuration, or connects an official transport. */
  connect: LowLevelServer["connect"];
  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): FacadeServer;
}

type Info = IfInstalled<SdkInfo, SdkInfo, Implementation>;
type Options = IfInstalled<
  SdkOptions,
  SdkOptions & Omit<LowLevelServerOptions, keyof SdkOptions>,
  LowLevelServerOptions
>;

type ServerBase<
  RequestT extends SdkRequest,
  NotificationT extends SdkNotification,
  ResultT extends SdkResult,
> = IfInstalled<SdkInfo, SdkServer<RequestT, NotificationT, ResultT> & TenonMembers, LowLevelServer>;
/** Drop-in replacement for the official SDK's low-level `Server`. */
export interface Server<
  RequestT extends SdkRequest = SdkRequest,
  NotificationT extends SdkNotification = SdkNotification,
  ResultT extends SdkResult = SdkResult,
> extends ServerBase<RequestT, NotificationT, ResultT> {}

/**
 * Drop-in replacement for the official SDK's low-level `Server`. It declares exactly the given capabilities, and the
 * application handles every method with `setRequestHandler`. Most servers are easier to write with `McpServer`.
 *
 * @example
 * const server = new Server({ name: "hello", version: "1.0.0" }, { capabilities: { tools: {} } });
 * server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
 * await server.connect(new StdioServerTransport());
 */
export const Server = LowLevelServer as unknown as new <
  RequestT extends SdkRequest = SdkRequest,
  NotificationT extends SdkNotification = SdkNotification,
  ResultT extends SdkResult = SdkResult,
>(
  info: Info,
  options?: Options,
) => Server<RequestT, NotificationT, ResultT>; // Safe: tests compare both classes
