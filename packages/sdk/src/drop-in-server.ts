/**
 * @fileoverview Public type of the low-level drop-in `Server`. It is the official SDK's own type if it is installed.
 * @module sdk/drop-in-server
 */
import type { Implementation } from "tenon/protocol";
import type { IfInstalled } from "./if-installed.js";
import type { FacadeServer } from "./mcp-server/facade-server.js";
import { LowLevelServer, type LowLevelServerOptions } from "./mcp-server/low-level/low-level-server.js";

// See `drop-in.ts` for the form of these comments.
/* oxlint-disable typescript/ban-ts-comment */
/** @ts-ignore `any` without the official SDK */
import type * as sdk from "@modelcontextprotocol/sdk/server/index.js";
/** @ts-ignore `any` without the official SDK */
import type * as sdkTypes from "@modelcontextprotocol/sdk/types.js";

/** Members that Tenon adds to the official `Server`. */
interface TenonMembers {
  /** Starts a Tenon transport from its configuration, or connects an official transport. */
  connect: LowLevelServer["connect"];
  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): FacadeServer;
}

type Info = IfInstalled<typeof sdk, sdkTypes.Implementation, Implementation>;
type Options = IfInstalled<
  typeof sdk,
  sdk.ServerOptions & Omit<LowLevelServerOptions, keyof sdk.ServerOptions>,
  LowLevelServerOptions
>;

type ServerBase<
  RequestT extends sdkTypes.Request,
  NotificationT extends sdkTypes.Notification,
  ResultT extends sdkTypes.Result,
> = IfInstalled<typeof sdk, sdk.Server<RequestT, NotificationT, ResultT> & TenonMembers, LowLevelServer>;
/** Drop-in replacement for the official SDK's low-level `Server`. */
export interface Server<
  RequestT extends sdkTypes.Request = sdkTypes.Request,
  NotificationT extends sdkTypes.Notification = sdkTypes.Notification,
  ResultT extends sdkTypes.Result = sdkTypes.Result,
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
  RequestT extends sdkTypes.Request = sdkTypes.Request,
  NotificationT extends sdkTypes.Notification = sdkTypes.Notification,
  ResultT extends sdkTypes.Result = sdkTypes.Result,
>(
  info: Info,
  options?: Options,
) => Server<RequestT, NotificationT, ResultT>; // Safe: tests compare both classes
