/**
 * @fileoverview `@tenon/sdk`: a drop-in `McpServer` for official SDK code, and adapters between the SDK and Tenon.
 * @module sdk
 */
export { connect, type ConnectOptions, type SdkConnection } from "./adapters/connect.js";
export {
  isSdkServer,
  type SdkMessageExtra,
  type SdkServer,
  type SdkTransport,
} from "./adapters/sdk-shapes.js";
export {
  type AnyServer,
  type ClosableServerSource,
  type ServerFactory,
  type ServerOrigin,
  toServerSource,
} from "./adapters/server-source.js";
export {
  type CallToolResult,
  type ListResourcesCallback,
  type McpExtra,
  McpServer,
  type McpServerOptions,
  type PromptCallback,
  type ReadResourceCallback,
  type ReadResourceTemplateCallback,
  type RegisteredPrompt,
  type RegisteredResource,
  type RegisteredResourceTemplate,
  type RegisteredTool,
  type ResourceMetadata,
  ResourceTemplate,
  type ToolCallback,
} from "./drop-in.js";
export { Server } from "./drop-in-server.js";
export type { FacadeServer } from "./mcp-server/facade-server.js";
export {
  completable,
  type CompleteCallback,
  getCompleter,
  isCompletable,
  unwrapCompletable,
} from "./mcp-server/registrations/completable.js";
// The types of registered objects without the official SDK. Declaration files of applications refer to them.
export type { PromptUpdates, RegisteredPrompt as FacadePrompt } from "./mcp-server/registrations/prompts.js";
export type {
  RegisteredResource as FacadeResource,
  RegisteredResourceTemplate as FacadeResourceTemplate,
} from "./mcp-server/registrations/resources.js";
export type {
  ResourceTemplateCallbacks,
  ResourceTemplateLike,
  UriPattern,
} from "./mcp-server/registrations/resource-template.js";
export type { RegisteredTool as FacadeTool, ToolUpdates } from "./mcp-server/registrations/tools.js";
export type {
  AskOptions,
  AuthInfo,
  CompleteResourceTemplateCallback,
  ElicitParams,
  ElicitResult,
  PromptConfig,
  ToolConfig,
  Variables,
} from "./mcp-server/requests/types.js";
export type { ServerFace } from "./mcp-server/server-face.js";
