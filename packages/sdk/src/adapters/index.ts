/**
 * @fileoverview `@tenon/sdk/adapters`: adapters between official SDK servers and transports, and Tenon's. Loads neither
 * Zod nor the drop-in `McpServer`.
 * @module sdk/adapters
 */
export { connect, type ConnectOptions, type SdkConnection } from "./connect.js";
export { isSdkServer, type SdkMessageExtra, type SdkServer, type SdkTransport } from "./sdk-shapes.js";
export {
  type AnyServer,
  type ClosableServerSource,
  type ServerFactory,
  type ServerOrigin,
  toServerSource,
} from "./server-source.js";
