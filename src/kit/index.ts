/**
 * @fileoverview `tenon/kit`: building blocks as plain functions. Each does one thing; none needs another.
 * @module kit
 */
export { connect, type SdkConnection } from "./connect.js";
export { configHelp, type ConfigOptions, type ExtraFlag } from "./flags.js";
export type { Logger } from "./logger.js";
export {
  type ExtraValues,
  parseConfig,
  type ParsedRedirectUrl,
  type ParsedTransportConfig,
} from "./parse-config.js";
export { createHttpMcpRouter, type HttpMcpRouter, type HttpMcpRouterOptions } from "./router.js";
export type { SdkMessageExtra, SdkServer, SdkTransport } from "./sdk-shapes.js";
export type { AnyServer, ServerFactory } from "./server-factory.js";
export {
  type ExpressLike,
  type HttpSetup,
  setupHttpServer,
  type SetupHttpServerOptions,
  setupStdioServer,
  type SetupStdioServerOptions,
  setupStdioTransport,
  type StdioStreams,
  type StdioTransport,
} from "./setup.js";
