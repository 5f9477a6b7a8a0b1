/**
 * @fileoverview Names of the official SDK that the drop-ins export, with the own type or value of each.
 * @module tools/official-types/names
 */

/** A name, its own type or value, its comment, and the official type if it is not the one with the same name. */
export type Row = readonly [
  name: string,
  own: string,
  comment: string,
  more?: { readonly official?: string; readonly parameters?: string },
];

/** A module of official types. */
export interface OfficialModule {
  /** Path in `packages/sdk/src`, without the extension. */
  readonly path: string;
  readonly overview: string;
  /** Names of packages in `official-packages.d.ts`. The first one is `sdk`, and tells if the package is installed. */
  readonly packages: Readonly<Record<string, string>>;
  /** Modules with the own types and values, by the name that the rows use. */
  readonly modules: Readonly<Record<string, string>>;
  /** Types that the rows use. */
  readonly helpers: readonly string[];
  readonly types: readonly Row[];
  readonly values: readonly Row[];
}

const V1: OfficialModule = {
  path: "v1/official-types",
  overview:
    "Types of the drop-in for version 1: the official SDK's own if it is installed, and ours otherwise.",
  packages: { sdk: "v1", typesSdk: "v1Types", protocolSdk: "v1Protocol" },
  modules: {
    own: "../types.js",
    options: "./options.js",
    prompts: "../server/registrations/prompts.js",
    resources: "../server/registrations/resources.js",
    tools: "../server/registrations/tools.js",
  },
  helpers: [
    "type Fields = undefined | Record<string, own.AnySchema>;",
    "type Input = Fields | own.AnySchema;",
  ],
  types: [
    [
      "McpServerOptions",
      "options.McpServerOptions",
      "Options for `McpServer`: the official SDK's and Tenon's.",
      { official: "sdk.McpServerOptions & Omit<options.McpServerOptions, keyof sdk.McpServerOptions>" },
    ],
    ["ResourceMetadata", "own.ResourceMetadata", "Resource definition, except for its name and URI."],
    [
      "ToolCallback",
      "own.ToolCallback",
      "Runs a tool. Receives arguments only if the tool has an input schema.",
      { parameters: "Args extends Input = undefined" },
    ],
    [
      "PromptCallback",
      "own.PromptCallback",
      "Runs a prompt. Receives arguments only if the prompt has an arguments schema.",
      { parameters: "Args extends Fields = undefined" },
    ],
    ["ReadResourceCallback", "own.ReadResourceCallback", "Reads the resource with a URI."],
    [
      "ReadResourceTemplateCallback",
      "own.ReadResourceTemplateCallback",
      "Reads a resource whose URI matches a template.",
    ],
    ["ListResourcesCallback", "own.ListResourcesCallback", "Lists a template's resources."],
    [
      "McpExtra",
      "own.McpExtra",
      "Last argument of every callback: data about the request, and functions that send messages to the client.",
      { official: "protocolSdk.RequestHandlerExtra<typesSdk.ServerRequest, typesSdk.ServerNotification>" },
    ],
    [
      "CallToolResult",
      "own.CallToolResult",
      "Tool callback result.",
      { official: "typesSdk.CallToolResult" },
    ],
    ["RegisteredTool", "tools.RegisteredTool", "A registered tool. Every change notifies clients."],
    ["RegisteredPrompt", "prompts.RegisteredPrompt", "A registered prompt. Every change notifies clients."],
    [
      "RegisteredResource",
      "resources.RegisteredResource",
      "A registered resource. Every change notifies clients.",
    ],
    [
      "RegisteredResourceTemplate",
      "resources.RegisteredResourceTemplate",
      "A registered resource template. Every change notifies clients.",
    ],
  ],
  values: [],
};

const V2: OfficialModule = {
  path: "v2/official-types",
  overview:
    "Types and values of the drop-in for version 2, with the official SDK's types if it is installed.",
  packages: { sdk: "v2", stdioSdk: "v2Stdio" },
  modules: {
    challenges: "./serving/scope-challenge.js",
    codec: "./input/request-state-codec.js",
    completion: "../server/registrations/schemas.js",
    created: "./serving/created-server.js",
    errors: "./errors.js",
    events: "./serving/subscriptions.js",
    hosts: "./serving/create-mcp-handler.js",
    http: "./serving/create-mcp-handler.js",
    input: "./input/input-required.js",
    legacy: "./serving/legacy-request.js",
    options: "./server/options.js",
    own: "./types.js",
    protocol: "tenon/protocol",
    resources: "../server/registrations/resources.js",
    schemas: "./server/schemas.js",
    servers: "./server/server.js",
    shapes: "../adapters/sdk-shapes.js",
    stdio: "./serving/serve-stdio.js",
  },
  helpers: ["type Schema = undefined | own.StandardSchemaWithJSON;"],
  types: [
    ["AuthInfo", "own.AuthInfo", "The caller's authorization."],
    ["CacheHint", "own.CacheHint", "Cache hint for clients in the stateless revision."],
    ["CallToolResult", "own.CallToolResult", "Result of a tool."],
    ["ClientCapabilities", "protocol.ClientCapabilities", "Capabilities that a client declares."],
    ["ContentBlock", "protocol.ContentBlock", "Content for the model or the user."],
    ["ElicitRequestFormParams", "own.ElicitParams", "Request for a form."],
    ["ElicitRequestURLParams", "own.ElicitParams", "Request to open a page."],
    ["ElicitResult", "own.ElicitResult", "The user's answer."],
    ["GetPromptResult", "protocol.PromptResult", "Result of a prompt."],
    ["Icon", "protocol.Icon", "Icon of a tool, resource, prompt, or server."],
    ["Implementation", "protocol.Implementation", "Name and version of a client or server."],
    ["InputRequest", "own.InputRequest", "Request inside an input-required result."],
    ["InputRequiredResult", "own.InputRequiredResult", "Result that asks the client for input."],
    ["InputResponses", "{ readonly [key: string]: unknown }", "Responses to requests for input, by key."],
    ["JSONRPCMessage", "protocol.JsonRpcMessage", "A JSON-RPC message."],
    ["JSONRPCRequest", "protocol.JsonRpcRequest", "A JSON-RPC request."],
    ["LoggingLevel", "protocol.LogLevel", "Level of a log message."],
    ["PrimitiveSchemaDefinition", "protocol.JsonObject", "JSON Schema of one field of a form."],
    ["Prompt", "protocol.McpPromptDefinition", "Prompt as it appears in a list."],
    ["ReadResourceResult", "protocol.ReadResult", "Content of a resource."],
    ["RequestOptions", "own.AskOptions", "Options of a request to the client."],
    ["Resource", "protocol.McpResourceDefinition", "Resource as it appears in a list."],
    ["ResourceLink", "protocol.ResourceLink", "Content that refers to a resource."],
    ["ResourceMetadata", "own.ResourceMetadata", "Resource definition, except for its name and URI."],
    ["ScopeChallenge", "own.ScopeChallenge", "Scopes that a caller must request first."],
    [
      "ScopeChallengeHandler",
      "own.ScopeChallengeHandler",
      "Decides whether a request needs more OAuth scopes.",
    ],
    ["ServerCapabilities", "own.ServerCapabilities", "Capabilities that a server declares."],
    ["ServerContext", "own.ServerContext", "Last argument of every callback."],
    ["Tool", "protocol.McpToolDefinition", "Tool as it appears in a list."],
    ["ToolAnnotations", "protocol.ToolHints", "Hints about a tool's behavior."],
    ["Transport", "shapes.SdkTransport", "A transport."],
    ["Variables", "own.Variables", "Values of a URI template's variables."],
    ["ListResourcesCallback", "own.ListResourcesCallback", "Lists a template's resources."],
    ["ReadResourceCallback", "own.ReadResourceCallback", "Reads the resource with a URI."],
    [
      "ReadResourceTemplateCallback",
      "own.ReadResourceTemplateCallback",
      "Reads a resource whose URI matches a template.",
    ],
    [
      "CreateMcpHandlerOptions",
      "http.CreateMcpHandlerOptions",
      "Options of `createMcpHandler`.",
      { official: 'sdk.CreateMcpHandlerOptions & Pick<http.CreateMcpHandlerOptions, "maxValues">' },
    ],
    [
      "McpHandlerRequestOptions",
      "http.McpHandlerRequestOptions",
      "Data for one request that the application has already read.",
    ],
    ["McpHttpHandler", "http.McpHttpHandler", "Serves MCP over HTTP."],
    [
      "McpRequestContext",
      "created.McpRequestContext",
      "Data about a connection or request, for the factory.",
    ],
    ["McpServerFactory", "created.McpServerFactory", "Creates a server."],
    ["LegacyHttpHandler", "legacy.LegacyHttpHandler", "Handles a request of an earlier revision."],
    ["RegisteredTool", "own.RegisteredTool", "A registered tool."],
    ["RegisteredPrompt", "own.RegisteredPrompt", "A registered prompt."],
    ["RegisteredResource", "resources.RegisteredResource", "A registered resource."],
    ["RegisteredResourceTemplate", "resources.RegisteredResourceTemplate", "A registered resource template."],
    ["ServerEvent", "events.ServerEvent", "A change that subscribed clients are notified of."],
    ["ServerEventBus", "events.ServerEventBus", "Delivers events to listeners."],
    ["ServerNotifier", "events.ServerNotifier", "Publishes changes to subscribed clients."],
    ["RequestStateCodecOptions", "codec.RequestStateCodecOptions", "Options of `createRequestStateCodec`."],
    [
      "RequestStateCodec",
      "codec.RequestStateCodec",
      "Signs states, and verifies them.",
      { parameters: "T = unknown" },
    ],
    [
      "ToolCallback",
      "own.ToolCallback",
      "Runs a tool. Receives arguments only if the tool has an input schema.",
      { parameters: "Args extends Schema = undefined" },
    ],
    [
      "PromptCallback",
      "own.PromptCallback",
      "Runs a prompt. Receives arguments only if the prompt has an arguments schema.",
      { parameters: "Args extends Schema = undefined" },
    ],
    [
      "ServeStdioOptions",
      "stdio.ServeStdioOptions",
      "Options of `serveStdio`.",
      { official: 'stdioSdk.ServeStdioOptions & Pick<stdio.ServeStdioOptions, "maxQueueBytes">' },
    ],
    [
      "StdioServerHandle",
      "stdio.StdioServerHandle",
      "A running stdio server.",
      { official: "stdioSdk.StdioServerHandle" },
    ],
    [
      "McpServerOptions",
      "options.McpServerOptions",
      "Options of `McpServer`: the official SDK's and Tenon's.",
      { official: "sdk.McpServerOptions & Omit<options.McpServerOptions, keyof sdk.McpServerOptions>" },
    ],
    ["ServerOptions", "options.ServerOptions", "Options of `Server`."],
    ["Server", "servers.Server", "Low-level server: handlers by method name, and messages to the client."],
    [
      "ResourceTemplate",
      "resources.ResourceTemplate",
      "A URI pattern, and callbacks that list resources and complete variables.",
    ],
    ["InMemoryServerEventBus", "events.InMemoryServerEventBus", "Event bus for one process."],
    ["ProtocolErrorCode", "errors.ProtocolErrorCode", "JSON-RPC error codes."],
    ["SdkErrorCode", "errors.SdkErrorCode", "Codes of errors that are never sent to the other side."],
    [
      "ProtocolError",
      "errors.ProtocolError",
      "Error that is sent to the other side, or that was received from it.",
    ],
    ["ResourceNotFoundError", "errors.ResourceNotFoundError", "Reports that a resource does not exist."],
    [
      "UrlElicitationRequiredError",
      "errors.UrlElicitationRequiredError",
      "Reports that the user must first open pages.",
    ],
    [
      "UnsupportedProtocolVersionError",
      "errors.UnsupportedProtocolVersionError",
      "Reports a protocol version that is not supported.",
    ],
    [
      "MissingRequiredClientCapabilityError",
      "errors.MissingRequiredClientCapabilityError",
      "Reports capabilities that the client did not declare.",
    ],
    ["SdkError", "errors.SdkError", "Error on this side of the connection."],
    [
      "StdioServerTransport",
      "stdio.StdioServerTransport",
      "Transport over standard input and output, or another pair of streams.",
      { official: "stdioSdk.StdioServerTransport" },
    ],
  ],
  values: [
    [
      "StdioServerTransport",
      "stdio.StdioServerTransport",
      "Transport over standard input and output, or another pair of streams.",
      { official: "typeof stdioSdk.StdioServerTransport" },
    ],
    ["Server", "servers.Server", "Low-level server: handlers by method name, and messages to the client."],
    [
      "ResourceTemplate",
      "resources.ResourceTemplate",
      "A URI pattern, and callbacks that list resources and complete variables.",
    ],
    [
      "completable",
      "completion.completable",
      "Attaches a completion callback to the schema of a prompt argument.",
    ],
    ["inputRequired", "input.inputRequired", "Builds a result that asks the client for input."],
    ["acceptedContent", "input.acceptedContent", "Returns the content of an accepted form, or `undefined`."],
    ["inputResponse", "input.inputResponse", "Reads the client's response to one request for input."],
    [
      "isInputRequiredResult",
      "input.isInputRequiredResult",
      "Recognizes a result that asks the client for input.",
    ],
    ["fromJsonSchema", "schemas.fromJsonSchema", "Turns a JSON Schema into a schema for tools and prompts."],
    [
      "createRequestStateCodec",
      "codec.createRequestStateCodec",
      "Creates functions that sign and verify states between rounds.",
    ],
    ["isLegacyRequest", "legacy.isLegacyRequest", "Returns true for a request of a legacy revision."],
    ["requireScopes", "challenges.requireScopes", "Creates a handler that requires OAuth scopes."],
    ["InMemoryServerEventBus", "events.InMemoryServerEventBus", "Event bus for one process."],
    ["ProtocolErrorCode", "errors.ProtocolErrorCode", "JSON-RPC error codes."],
    ["SdkErrorCode", "errors.SdkErrorCode", "Codes of errors that are never sent to the other side."],
    [
      "ProtocolError",
      "errors.ProtocolError",
      "Error that is sent to the other side, or that was received from it.",
    ],
    ["ResourceNotFoundError", "errors.ResourceNotFoundError", "Reports that a resource does not exist."],
    [
      "UrlElicitationRequiredError",
      "errors.UrlElicitationRequiredError",
      "Reports that the user must first open pages.",
    ],
    [
      "UnsupportedProtocolVersionError",
      "errors.UnsupportedProtocolVersionError",
      "Reports a protocol version that is not supported.",
    ],
    [
      "MissingRequiredClientCapabilityError",
      "errors.MissingRequiredClientCapabilityError",
      "Reports capabilities that the client did not declare.",
    ],
    ["SdkError", "errors.SdkError", "Error on this side of the connection."],
    [
      "SUPPORTED_PROTOCOL_VERSIONS",
      "options.SUPPORTED_PROTOCOL_VERSIONS",
      "Protocol versions that `initialize` negotiates, newest first.",
    ],
    [
      "localhostAllowedHostnames",
      "hosts.localhostAllowedHostnames",
      "Returns the host names of this machine.",
    ],
    [
      "localhostAllowedOrigins",
      "hosts.localhostAllowedOrigins",
      "Returns the host names of pages on this machine.",
    ],
    [
      "hostHeaderValidationResponse",
      "hosts.hostHeaderValidationResponse",
      "Returns a 403 response if the Host header is not allowed.",
    ],
    [
      "originValidationResponse",
      "hosts.originValidationResponse",
      "Returns a 403 response if the Origin header is not allowed.",
    ],
    ["isInitializeRequest", "legacy.isInitializeRequest", "Recognizes an `initialize` request."],
  ],
};

/** The generated modules. */
export const OFFICIAL_MODULES: readonly OfficialModule[] = [V1, V2];
