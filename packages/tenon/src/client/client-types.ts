/**
 * @fileoverview Types of typed clients: the arguments and the result of a call, derived from the server's type.
 * @module tenon/client/client-types
 */
import type { ToolMap } from "../core/wire/hosted-server.js";
import type { ToolResult } from "../protocol/index.js";
import type { RequestOptions } from "./client-options.js";

/** Result of a tool call, with typed structured content. */
export type CallResult<Output> = Omit<ToolResult, "structuredContent"> & {
  readonly structuredContent?: Output;
};

/** Arguments and options for a tool call. The arguments are optional if the tool takes none. */
export type CallArguments<Input> =
  Record<string, never> extends Input
    ? [args?: Input, options?: RequestOptions]
    : [args: Input, options?: RequestOptions];

/**
 * Tool types of a server or a builder, for a client in another package. Only types are imported, so the client does not
 * contain the server's code.
 *
 * @example
 * import type server from "my-server";
 * const client = await createClient<InferServer<typeof server>>("https://example.com/mcp");
 */
export type InferServer<Server> = Server extends { build(): infer Built }
  ? InferServer<Built>
  : Server extends { readonly types?: infer Tools }
    ? Extract<NonNullable<Tools>, ToolMap>
    : ToolMap;
