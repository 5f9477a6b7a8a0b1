/**
 * @fileoverview `@tenon/kit`: independent building blocks for MCP servers, as plain functions.
 * @module kit
 */
export type { TransportConfig } from "tenon/node";
export {
  type Cell,
  type Columnar,
  type ColumnarOptions,
  type Shaped,
  toColumnar,
  toShape,
} from "./output/columnar.js";
export { configHelp, type ConfigOptions, type ExtraFlag } from "./config/flags.js";
export { createHttpError, type HttpError, type HttpErrorOptions } from "./errors/http-error.js";
export {
  type ContextOf,
  createExtra,
  definePromptModule,
  defineResourceModule,
  defineToolModule,
  type ModuleExtra,
  type ModuleTaskOptions,
  type OutputSchemaLike,
  type PromptModule,
  type PromptModuleArgs,
  type ResourceModule,
  type ResourceTarget,
  type ToolContext,
  type ToolModuleHandler,
  type ToolModule,
  type ToolModuleReturn,
  type ToolModuleSpec,
  type ToolOutput,
} from "./modules/modules.js";
export {
  checkOutputNaming,
  type NamedTool,
  type NamingFinding,
  type NamingRule,
} from "./output/output-naming.js";
export { outputVocabulary, type Zod } from "./output/output-vocabulary.js";
export { type Budget, type Page, paged, type PageOptions } from "./output/paged.js";
export {
  type ExtraValues,
  parseConfig,
  type ParsedRedirectUrl,
  type ParsedTransportConfig,
} from "./config/parse-config.js";
export {
  registerPrompts,
  registerResources,
  registerTools,
  type TakesPrompts,
  type TakesResources,
  type TakesTools,
  toToolSource,
} from "./modules/register-modules.js";
export {
  type AuthRequired,
  buildAuthResponse,
  type ErrorResult,
  jsonResult,
  type StructuredResult,
  type TextBlock,
} from "./output/responses.js";
export type {
  ExpressLike,
  HttpMcpRouter,
  HttpMcpRouterOptions,
  SetupHttpServerOptions,
  SetupStdioServerOptions,
  SetupTransportOptions,
  StdioStreams,
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
export {
  type ErrorBranch,
  handleToolError,
  toErrorBranch,
  type ToolErrorMeta,
  toMcpError,
} from "./errors/tool-error.js";
export type { Disposition } from "./files/content-disposition.js";
export {
  createFileServingRouter,
  type FileInfo,
  type FileMetadata,
  type FileServingConfig,
  type FileServingRouter,
} from "./files/file-serving-router.js";
export {
  type FileContent,
  fileLink,
  fileUri,
  type SavedFile,
  saveFile,
  type SaveFileOptions,
  type ServedAt,
} from "./files/file-store.js";
