/**
 * @fileoverview `@tenon/kit`: independent building blocks for MCP servers, as plain functions.
 * @module kit
 */
export type { TransportConfig } from "tenon/node";
export { type Cell, type Columnar, type Shaped, toColumnar, toShape } from "./output/columnar.js";
export { createHttpError, type HttpError } from "./errors/http-error.js";
export {
  type ContextOf,
  createExtra,
  definePromptModule,
  defineResourceModule,
  defineToolModule,
  type ModuleExtra,
  type OutputSchemaLike,
  type PromptModule,
  type ResourceModule,
  type ToolContext,
  type ToolModuleHandler,
  type ToolModule,
  type ToolOutput,
} from "./modules/modules.js";
export { checkOutputNaming, type NamingFinding } from "./output/output-naming.js";
export { outputVocabulary } from "./output/output-vocabulary.js";
export { type Page, paged } from "./output/paged.js";
export { parseConfig, type ParsedRedirectUrl, type ParsedTransportConfig } from "./config/parse-config.js";
export { registerPrompts, registerResources, registerTools } from "./modules/register-modules.js";
export {
  type AuthRequired,
  buildAuthResponse,
  type ErrorResult,
  jsonResult,
  type StructuredResult,
} from "./output/responses.js";
export type {
  HttpMcpRouter,
  HttpMcpRouterOptions,
  SetupHttpServerOptions,
  SetupStdioServerOptions,
} from "./serving/options.js";
export { createHttpMcpRouter } from "./serving/router.js";
export {
  type HttpSetup,
  setupHttpServer,
  setupStdioServer,
  setupStdioTransport,
  type StdioSetup,
} from "./serving/setup.js";
export { setupTransport } from "./serving/setup-transport.js";
export { type ErrorBranch, handleToolError, toErrorBranch, toMcpError } from "./errors/tool-error.js";
export {
  createFileServingRouter,
  type FileInfo,
  type FileMetadata,
  type FileServingConfig,
  type FileServingRouter,
} from "./files/file-serving-router.js";
export { fileLink, type SavedFile, saveFile } from "./files/file-store.js";
