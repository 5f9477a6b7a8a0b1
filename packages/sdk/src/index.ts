/**
 * @fileoverview `@tenon/sdk`: a drop-in `McpServer` for official SDK code, and adapters between the SDK and Tenon.
 * @module sdk
 */
export { completable } from "./mcp-server/registrations/completable.js";
export type { CompleteCallback } from "./mcp-server/registrations/completable.js";
export type { FacadeServer } from "./mcp-server/facade-server.js";
export { McpServer } from "./mcp-server/mcp-server.js";
export type { McpServerOptions } from "./mcp-server/options.js";
export type { PromptUpdates } from "./mcp-server/registrations/prompts.js";
export { RegisteredPrompt } from "./mcp-server/registrations/prompts.js";
export { ResourceTemplate } from "./mcp-server/registrations/resource-template.js";
export type { ResourceTemplateCallbacks } from "./mcp-server/registrations/resource-template.js";
export type { ResourceTemplateLike } from "./mcp-server/registrations/resource-template.js";
export type { UriPattern } from "./mcp-server/registrations/resource-template.js";
export { RegisteredResource } from "./mcp-server/registrations/resources.js";
export { RegisteredResourceTemplate } from "./mcp-server/registrations/resources.js";
export type { ElicitParams } from "./mcp-server/server-face.js";
export type { ElicitResult } from "./mcp-server/server-face.js";
export type { ServerFace } from "./mcp-server/server-face.js";
export { RegisteredTool } from "./mcp-server/registrations/tools.js";
export type { ToolUpdates } from "./mcp-server/registrations/tools.js";
export type { AskOptions } from "./mcp-server/requests/types.js";
export type { AuthInfo } from "./mcp-server/requests/types.js";
export type { CallToolResult } from "./mcp-server/requests/types.js";
export type { CompleteResourceTemplateCallback } from "./mcp-server/requests/types.js";
export type { ListResourcesCallback } from "./mcp-server/requests/types.js";
export type { McpExtra } from "./mcp-server/requests/types.js";
export type { PromptCallback } from "./mcp-server/requests/types.js";
export type { PromptConfig } from "./mcp-server/requests/types.js";
export type { ReadResourceCallback } from "./mcp-server/requests/types.js";
export type { ReadResourceTemplateCallback } from "./mcp-server/requests/types.js";
export type { ResourceMetadata } from "./mcp-server/requests/types.js";
export type { ToolCallback } from "./mcp-server/requests/types.js";
export type { ToolConfig } from "./mcp-server/requests/types.js";
export type { Variables } from "./mcp-server/requests/types.js";
export { connect } from "./adapters/connect.js";
export type { ConnectOptions } from "./adapters/connect.js";
export type { SdkConnection } from "./adapters/connect.js";
export type { SdkMessageExtra } from "./adapters/sdk-shapes.js";
export type { SdkServer } from "./adapters/sdk-shapes.js";
export type { SdkTransport } from "./adapters/sdk-shapes.js";
export type { AnyServer } from "./adapters/server-source.js";
export type { ServerFactory } from "./adapters/server-source.js";
export { isSdkServer } from "./adapters/sdk-shapes.js";
export { type ClosableServerSource, type ServerOrigin, toServerSource } from "./adapters/server-source.js";
