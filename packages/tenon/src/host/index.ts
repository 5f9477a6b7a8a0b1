/**
 * @fileoverview `tenon/host`: APIs for writing transports and hosts.
 * @module tenon/host
 */
export type { Option, OptionTable } from "@tenon/internal/options/define-options";
export type { ObjectOption } from "@tenon/internal/options/option-rows";
export { Call } from "../core/call/call.js";
export { assertScopes } from "../core/definitions/definition-checks.js";
export {
  draftResourceTemplate,
  createResourceEntry,
  type ResourceDraft,
  type TemplateDraft,
} from "../core/definitions/resource.js";
export { SERVER_INFO, SERVER_SETTINGS } from "../core/definitions/options.js";
export { createPromptEntry, type PromptDraft } from "../core/definitions/prompt.js";
export type { Plan } from "../core/definitions/plan.js";
export {
  type CompileSettings,
  createToolEntry,
  draftTool,
  type ToolDraft,
} from "../core/definitions/tool.js";
export { type ToolTask, toToolTask } from "../core/definitions/tool-task.js";
export { ArgumentsError, OutputError, PartError } from "../core/definitions/tool-errors.js";
export { isToolResult, toStructuredResult, toToolResult } from "../core/definitions/results/tool-result.js";
export { createServerParts } from "../core/services.js";
export { isAllowed } from "../core/wire/access.js";
export { type HandlerObserver, toServer, type HostedServer } from "../core/wire/hosted-server.js";
export type { ClusterLink, RecordSealer } from "../core/wire/cluster-link.js";
export type { Caller } from "../core/wire/caller.js";
export { Connection, type ConnectionOptions, type Question } from "../core/wire/connection.js";
export { receive, type Reply, replyText } from "../core/wire/receive.js";
export { busyResponse, errorResponse, emptyResponse, resultResponse } from "../core/wire/response.js";
export { fromSdkError, isSdkError, readError } from "../protocol/error-facts.js";
export { toPublicError } from "../protocol/public-error.js";
export { EVENT_LIMITS } from "../stores/event-limits.js";
export type { SharedStore } from "../stores/shared-store.js";
export { compileSchema, isStandardSchema } from "../schema/compile.js";
export { describeIssues } from "../schema/issues.js";
export type { CompiledSchema, Issue } from "../schema/schema.js";
export { HTTP_OPTIONS } from "../transport/http/options.js";
export type { ServerSource } from "../transport/http/server-source.js";
export { FrameSplitter } from "../transport/stdio/frames.js";
