/**
 * @fileoverview `@tenon/sdk`: a drop-in `McpServer` for official SDK code, and adapters between the SDK and Tenon.
 * @module sdk
 */
export { connect, type ConnectOptions, type SdkConnection } from "./adapters/connect.js";
export type { SdkMessageExtra, SdkServer, SdkTransport } from "./adapters/sdk-shapes.js";
export type {
  CallToolResult,
  ListResourcesCallback,
  McpExtra,
  McpServerOptions,
  PromptCallback,
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
  ResourceMetadata,
  ToolCallback,
} from "./v1/official-types.js";
export type { DropInServer } from "./server/drop-in-server.js";
export {
  completable,
  type CompleteCallback,
  getCompleter,
  isCompletable,
  unwrapCompletable,
} from "./server/registrations/schemas.js";
// The types of registered objects without the official SDK. Declaration files of applications refer to them.
export type { PromptUpdates, RegisteredPrompt as DropInPrompt } from "./server/registrations/prompts.js";
export type {
  RegisteredResource as DropInResource,
  RegisteredResourceTemplate as DropInResourceTemplate,
} from "./server/registrations/resources.js";
export type {
  ResourceTemplateCallbacks,
  ResourceTemplateLike,
  UriPattern,
} from "./server/registrations/resources.js";
export type { RegisteredTool as DropInTool, ToolUpdates } from "./server/registrations/tools.js";
export type {
  AskOptions,
  AuthInfo,
  CompleteResourceTemplateCallback,
  ElicitParams,
  ElicitResult,
  PromptConfig,
  ToolConfig,
  Variables,
} from "./types.js";
export type { Server as LowLevelServer } from "./v1/server.js";
export { McpServer, ResourceTemplate, Server } from "./v1/drop-in.js";
