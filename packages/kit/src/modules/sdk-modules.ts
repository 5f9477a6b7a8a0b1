/**
 * @fileoverview Modules on an `McpServer` of the official SDK, of either generation, or on anything with its methods.
 * Nothing of it is imported.
 * @module kit/sdk-modules
 */
import { isToolResult, toStructuredResult, toToolResult } from "tenon/host";
import { toBase64 } from "@tenon/internal/base64";
import { isJsonObject } from "@tenon/internal/json";
import { compileUriTemplate } from "@tenon/internal/uri-template";
import { errorRow, McpError, type ToolResult } from "tenon/protocol";
import { isSdkError } from "tenon/host";
import { extraOfSdk } from "./module-extra.js";
import { describedBy } from "./module-fields.js";
import type { PromptModule, ResourceModule, ToolModule } from "./modules.js";
import { read } from "@tenon/internal/security/safe-text";
import { handleToolError } from "../errors/tool-error.js";

/** Registration of a module, which can be removed. */
export type SdkRegistration = { remove?(): void } | undefined;

/** The methods that are used of such a server. */
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

/** Tells whether a server has one of these methods. */
export function isRegistrar(server: object, method: keyof SdkRegistrar): server is SdkRegistrar {
  return typeof read(server, method) === "function";
}

/** Puts a tool on such a server. */
export function registerSdkTool(
  registrar: SdkRegistrar,
  module: ToolModule<unknown, unknown, unknown>,
  context: unknown,
): SdkRegistration {
  const { name, inputSchema, outputSchema } = module;
  const shown = outputSchema !== undefined && takesOutput(registrar, outputSchema) ? { outputSchema } : {};
  const config = { ...describedBy(module), inputSchema, ...shown };
  return registrar.registerTool(name, config, async (args, raw) => {
    try {
      const value = await module.handler(args, extraOfSdk(raw), context);
      return outputSchema === undefined || (isToolResult(value) && value.isError === true)
        ? toToolResult(value)
        : await validateOutput(module.name, outputSchema, value);
    } catch (error) {
      return failed(registrar, `Tool ${name} failed`, error);
    }
  });
}

/** Puts a resource, or a family of them, on such a server. */
export function registerSdkResource(
  registrar: SdkRegistrar,
  module: ResourceModule<unknown, unknown>,
  context: unknown,
): SdkRegistration {
  const { name, uri: fixed, uriTemplate } = module;
  const described = describedBy(module);
  const run = async (at: unknown, variables: unknown, raw: unknown) => {
    const uri = String(at);
    const value = await telling(registrar, `Resource ${name} failed`, () =>
      module.handler({ uri, variables }, extraOfSdk(raw), context),
    );
    return toReadResult(value, uri, module.mimeType);
  };
  return uriTemplate === undefined
    ? registrar.registerResource(name, fixed ?? "", described, (at, raw) => run(at, {}, raw))
    : registrar.registerResource(name, toSdkTemplate(uriTemplate), described, (at, variables, raw) =>
        run(at, variables, raw),
      );
}

/** Puts a prompt on such a server. */
export function registerSdkPrompt(
  registrar: SdkRegistrar,
  module: PromptModule<unknown, unknown>,
  context: unknown,
): SdkRegistration {
  const { name, argsSchema } = module;
  const described = describedBy(module);
  const run = async (args: unknown, raw: unknown) => {
    const value = await telling(registrar, `Prompt ${name} failed`, () =>
      module.handler(args, extraOfSdk(raw), context),
    );
    if (typeof value === "string") {
      return { messages: [{ role: "user", content: { type: "text", text: value } }] };
    }
    return Array.isArray(value) ? { messages: value } : value;
  };
  if (argsSchema === undefined) return registrar.registerPrompt(name, described, (raw) => run({}, raw));
  // Its first generation takes the fields only, its second takes those too.
  const config = { ...described, argsSchema: read(argsSchema, "shape") ?? argsSchema };
  return registrar.registerPrompt(name, config, run);
}

/** The first generation has objects only as output, and fails on every call where it is given something else. */
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
    throw new Error(`Tool ${name} returned what its output schema refuses`);
  }
  return full === undefined
    ? toStructuredResult(checked.value)
    : { ...full, structuredContent: checked.value };
}

/** The model is told what was meant for it. Anything else goes to the server's own listener for errors. */
function failed(registrar: SdkRegistrar, text: string, error: unknown): ToolResult {
  if (isSdkError(error)) throw error;
  if (error instanceof McpError) return handleToolError(error);
  report(registrar, error);
  return { content: [{ type: "text", text }], isError: true };
}

async function telling<Value>(
  registrar: SdkRegistrar,
  text: string,
  run: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (isSdkError(error)) throw error;
    if (error instanceof McpError) throw toRpcError(error);
    report(registrar, error);
    throw new Error(text, { cause: error });
  }
}

/** The SDK sends an error's number and data, where it finds them on it. */
function toRpcError(error: McpError): Error {
  const { code, details } = error;
  return Object.assign(new Error(error.message, { cause: error }), {
    code: errorRow(code).rpc,
    ...(details === undefined ? {} : { data: details }),
  });
}

function report(registrar: SdkRegistrar, error: unknown): void {
  const inner = read(registrar, "server");
  const listener = read(inner, "onerror");
  if (typeof listener === "function") listener.call(inner, error);
}

/** All that either generation asks of its `ResourceTemplate`. */
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
