/**
 * @fileoverview Registers modules on an official SDK `McpServer`, version 1 or 2, or on an object with the same
 * methods. The SDK is not imported.
 * @module kit/modules/sdk-modules
 */
import { describeIssues, isToolResult, toStructuredResult, toToolResult } from "tenon/host";
import { toBase64 } from "@tenon/internal/base64";
import { isJsonObject } from "@tenon/internal/json";
import { compileUriTemplate } from "@tenon/internal/uri-template";
import { ERRORS, McpError, type ToolResult } from "tenon/protocol";
import { isSdkError } from "tenon/host";
import { extraOfSdk } from "./module-extra.js";
import { describedBy, scopesOption } from "./module-fields.js";
import type { PromptModule, ResourceModule, ToolModule } from "./modules.js";
import { read } from "@tenon/internal/security/safe-text";
import { handleToolError } from "../errors/tool-error.js";

/** Handle for removing a registered module. */
export type SdkRegistration = { remove?(): void } | undefined;

/** The subset of `McpServer` that this module uses. */
export interface SdkRegistrar {
  registerTool(name: string, config: object, callback: SdkCallback): SdkRegistration;
  registerResource(
    name: string,
    address: string | object,
    config: object,
    callback: SdkCallback,
  ): SdkRegistration;
  registerPrompt(name: string, config: object, callback: SdkCallback): SdkRegistration;
}

type SdkCallback = (...given: readonly unknown[]) => unknown;

/** Returns true if the server has the given registration method. */
export function isRegistrar(server: object, method: keyof SdkRegistrar): server is SdkRegistrar {
  return typeof read(server, method) === "function";
}

/** Registers a tool. Its output is validated here, because version 1 supports only object schemas. */
export function registerSdkTool(
  registrar: SdkRegistrar,
  module: ToolModule<unknown, unknown, unknown>,
  context: unknown,
): SdkRegistration {
  const { name, inputSchema, outputSchema, task } = module;
  const shown = outputSchema !== undefined && takesOutput(registrar, outputSchema) ? { outputSchema } : {};
  // Official servers do not have this option.
  const asTask = task !== undefined && isTenonServer(registrar) ? { task } : {};
  const config = { ...describedFor(registrar, "Tool", module), inputSchema, ...shown, ...asTask };
  return registrar.registerTool(name, config, async (args, raw) => {
    try {
      const value = await module.handler(args, extraOfSdk(raw), context);
      return outputSchema === undefined || (isToolResult(value) && value.isError === true)
        ? toToolResult(value)
        : await validateOutput(module.name, outputSchema, value);
    } catch (error) {
      return failed({ registrar, operation: "tools/call", name }, error);
    }
  });
}

/** Registers a resource or, with a `uriTemplate`, a group of resources. */
export function registerSdkResource(
  registrar: SdkRegistrar,
  module: ResourceModule<unknown, unknown>,
  context: unknown,
): SdkRegistration {
  const { name, uri: fixed, uriTemplate } = module;
  const described = describedFor(registrar, "Resource", module);
  const run = async (at: unknown, variables: unknown, raw: unknown) => {
    const uri = String(at);
    const value = await telling({ registrar, operation: "resources/read", name }, () =>
      module.handler({ uri, variables }, extraOfSdk(raw), context),
    );
    return toReadResult(value, uri, module.mimeType);
  };
  if (uriTemplate === undefined)
    return registrar.registerResource(name, fixed ?? "", described, (at, raw) => run(at, {}, raw));
  return registrar.registerResource(name, toSdkTemplate(uriTemplate), described, (at, variables, raw) =>
    run(at, variables, raw),
  );
}

/** Registers a prompt. A string result becomes a single user message. */
export function registerSdkPrompt(
  registrar: SdkRegistrar,
  module: PromptModule<unknown, unknown>,
  context: unknown,
): SdkRegistration {
  const { name, argsSchema } = module;
  const described = describedFor(registrar, "Prompt", module);
  const run = async (args: unknown, raw: unknown) => {
    const value = await telling({ registrar, operation: "prompts/get", name }, () =>
      module.handler(args, extraOfSdk(raw), context),
    );
    if (typeof value === "string") {
      return { messages: [{ role: "user", content: { type: "text", text: value } }] };
    }
    return Array.isArray(value) ? { messages: value } : value;
  };
  if (argsSchema === undefined) return registrar.registerPrompt(name, described, (raw) => run({}, raw));
  // Version 1 accepts only the schema's fields. Version 2 accepts fields and schemas.
  const config = { ...described, argsSchema: read(argsSchema, "shape") ?? argsSchema };
  return registrar.registerPrompt(name, config, run);
}

/**
 * Returns a module's descriptive fields and its scopes.
 *
 * @throws if the module has scopes and the server is an official one, which cannot check them
 */
function describedFor(
  registrar: SdkRegistrar,
  noun: string,
  module: { readonly name: string; readonly scopes?: readonly string[] },
): Readonly<Record<string, unknown>> {
  if (module.scopes === undefined || isTenonServer(registrar))
    return { ...describedBy(module), ...scopesOption(module) };
  throw new Error(
    `${noun} "${module.name}" has \`scopes\`, which an official SDK server cannot check. ` +
      'Use a Tenon server or `McpServer` from "@tenon/sdk".',
  );
}

/** Recognizes `McpServer` from `@tenon/sdk`, which can check scopes and run tasks. */
function isTenonServer(registrar: SdkRegistrar): boolean {
  return typeof read(registrar, "extension") === "function";
}

/**
 * Returns true if the server supports this output schema. With any schema other than an object schema, version 1 fails
 * every call.
 */
function takesOutput(registrar: SdkRegistrar, schema: object): boolean {
  const isFirst = "tool" in registrar;
  return !isFirst || isJsonObject(read(schema, "shape"));
}

async function validateOutput(
  name: string,
  schema: NonNullable<ToolModule["outputSchema"]>,
  value: unknown,
): Promise<ToolResult> {
  const full = isToolResult(value) ? value : undefined;
  const checked = await schema["~standard"].validate(full === undefined ? value : full.structuredContent);
  if (checked.issues !== undefined) {
    throw new Error(
      `Tool "${name}": the output does not match the output schema: ${describeIssues(checked.issues)}`,
    );
  }
  return full === undefined
    ? toStructuredResult(checked.value)
    : { ...full, structuredContent: checked.value };
}

/** Running module and its server. */
interface Running {
  readonly registrar: SdkRegistrar;
  readonly operation: "tools/call" | "resources/read" | "prompts/get";
  readonly name: string;
}

/**
 * Builds the result for a failed tool. The client sees the message of an `McpError`. Other errors are passed to the
 * server's error listener.
 */
function failed(running: Running, error: unknown): ToolResult {
  if (isSdkError(error)) throw error;
  if (error instanceof McpError) return handleToolError(error);
  report(running, error);
  return { content: [{ type: "text", text: describe(running) }], isError: true };
}

async function telling<Value>(running: Running, run: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (isSdkError(error)) throw error;
    if (error instanceof McpError) throw toRpcError(error);
    report(running, error);
    throw new Error(describe(running), { cause: error });
  }
}

const NOUNS = { "tools/call": "Tool", "resources/read": "Resource", "prompts/get": "Prompt" } as const;

function describe({ operation, name }: Running): string {
  return `${NOUNS[operation]} ${name} failed`;
}

/** Converts an error to the form that the SDK sends to clients, with `code` and `data`. */
function toRpcError(error: McpError): Error {
  const { code, details } = error;
  return Object.assign(new Error(error.message, { cause: error }), {
    name: "McpError",
    code: ERRORS[code].rpc,
    ...(details === undefined ? {} : { data: details }),
  });
}

/** Passes an error to the server's listener or log. Tenon's transports provide one if the application does not. */
function report({ registrar, operation, name }: Running, error: unknown): void {
  const inner = read(registrar, "server");
  // `McpServer` from `@tenon/sdk` has both.
  const listener = read(inner, "onerror") ?? read(inner, "reportFailure");
  if (typeof listener === "function") listener.call(inner, error, { operation, name });
}

/** Builds the subset of the SDK's `ResourceTemplate` that both versions use. */
function toSdkTemplate(source: string): object {
  const template = compileUriTemplate(source);
  return {
    uriTemplate: {
      toString: () => source,
      variableNames: template.variables,
      match: (uri: string) => template.match(uri) ?? null,
    },
    listCallback: undefined,
    completeCallback: () => undefined,
  };
}

function toReadResult(value: unknown, uri: string, mimeType: string | undefined): unknown {
  const type = mimeType === undefined ? {} : { mimeType };
  if (typeof value === "string") return { contents: [{ uri, ...type, text: value }] };
  if (value instanceof Uint8Array) return { contents: [{ uri, ...type, blob: toBase64(value) }] };
  if (Array.isArray(value)) return { contents: value };
  return isJsonObject(value) && "contents" in value ? value : { contents: [value] };
}
