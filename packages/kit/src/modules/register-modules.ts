/**
 * @fileoverview Registers modules on a Tenon builder, a Tenon server, or an official SDK `McpServer`.
 * @module kit/modules/register-modules
 */
import type { Call } from "tenon/host";
import { draftTool } from "tenon/host";
import { type ToolSource } from "tenon";
import { kindOf } from "@tenon/internal/kind-of";
import { assertToolSchemas } from "./check-schemas.js";
import { extraOfCall } from "./module-extra.js";
import { describedBy, scopesOption } from "./module-fields.js";
import type { ContextOf, PromptModule, ResourceModule, ToolModule } from "./modules.js";
import {
  isRegistrar,
  registerSdkPrompt,
  registerSdkResource,
  registerSdkTool,
  type SdkRegistrar,
  type SdkRegistration,
} from "./sdk-modules.js";

/** Server that accepts tools: a Tenon builder or server, or an object with the official SDK's `registerTool`. */
export type TakesTools =
  | { tool(name: string, spec: never): unknown; tools(source: never): unknown }
  | { update(change: never): unknown }
  | { registerTool(name: string, config: never, callback: never): unknown };

/** Server that accepts resources: a Tenon builder or server, or an official SDK `McpServer`. */
export type TakesResources =
  | { resource(name: string, spec: never): unknown; resourceTemplate(name: string, spec: never): unknown }
  | { update(change: never): unknown }
  | { registerResource(name: string, address: never, config: never, callback: never): unknown };

/** Server that accepts prompts: a Tenon builder or server, or an official SDK `McpServer`. */
export type TakesPrompts =
  | { prompt(name: string, spec: never): unknown; resourceTemplate(name: string, spec: never): unknown }
  | { update(change: never): unknown }
  | { registerPrompt(name: string, config: never, callback: never): unknown };

type AnyTool = ToolModule<unknown, unknown, never>;
type AnyResource = ResourceModule<unknown, never>;
type AnyPrompt = PromptModule<unknown, never>;

/**
 * Registers tools on a server. If one of them cannot be registered, none are.
 *
 * @param context passed unchanged to every handler
 * @returns the same server
 * @throws if a module is invalid or already registered; the message contains its name
 */
export function registerTools<Target extends TakesTools, const Modules extends readonly AnyTool[]>(
  server: Target,
  modules: Modules,
  context: ContextOf<Modules[number]>,
): Target {
  assertModules("Tool", modules);
  modules.forEach(assertToolSchemas);
  return register(server, modules as readonly ToolModule<unknown, unknown, unknown>[], {
    method: "registerTool",
    ours: (editor, module) => editor.tool(module.name, toolSpec(module, context)),
    theirs: (registrar, module) => registerSdkTool(registrar, module, context),
  });
}

/** Registers resources like `registerTools`. @throws if a module is invalid or already registered */
export function registerResources<
  Target extends TakesResources,
  const Modules extends readonly AnyResource[],
>(server: Target, modules: Modules, context: ContextOf<Modules[number]>): Target {
  assertModules("Resource", modules);
  for (const { name, uri, uriTemplate } of modules) {
    if ((uri === undefined) === (uriTemplate === undefined)) {
      const got = uri === undefined ? "neither" : "both";
      throw new Error(`Resource "${name}": set exactly one of \`uri\` and \`uriTemplate\`; got ${got}.`);
    }
  }
  return register(server, modules as readonly ResourceModule<unknown, unknown>[], {
    method: "registerResource",
    ours: (editor, module) => addResource(editor, module, context),
    theirs: (registrar, module) => registerSdkResource(registrar, module, context),
  });
}

/** Registers prompts like `registerTools`. @throws if a module is invalid or already registered */
export function registerPrompts<Target extends TakesPrompts, const Modules extends readonly AnyPrompt[]>(
  server: Target,
  modules: Modules,
  context: ContextOf<Modules[number]>,
): Target {
  assertModules("Prompt", modules);
  return register(server, modules as readonly PromptModule<unknown, unknown>[], {
    method: "registerPrompt",
    ours: (editor, module) => addPrompt(editor, module, context),
    theirs: (registrar, module) => registerSdkPrompt(registrar, module, context),
  });
}

/**
 * Converts tool modules to a source for a Tenon builder's `.tools()`.
 *
 * @example defineServer(info).tools(toToolSource(modules, { db }))
 */
export function toToolSource<const Modules extends readonly AnyTool[]>(
  modules: Modules,
  context: ContextOf<Modules[number]>,
): ToolSource {
  assertModules("Tool", modules);
  modules.forEach(assertToolSchemas);
  // Safe: each module's own type was checked when it was defined.
  const known = modules as readonly ToolModule<unknown, unknown, unknown>[];
  const drafts = known.map((module) => draftTool(module.name, toolSpec(module, context)));
  return { toolDrafts: () => drafts };
}

interface Ways<Module> {
  readonly method: keyof SdkRegistrar;
  readonly ours: (editor: Editor, module: Module) => unknown;
  readonly theirs: (registrar: SdkRegistrar, module: Module) => SdkRegistration;
}

/** Methods that Tenon's builders and update editors share. */
interface Editor {
  tool(name: string, spec: object): unknown;
  resource(name: string, spec: object): unknown;
  resourceTemplate(name: string, spec: object): unknown;
  prompt(name: string, spec: object): unknown;
}

function register<Target extends object, Module>(
  server: Target,
  modules: readonly Module[],
  { method, ours, theirs }: Ways<Module>,
): Target {
  // Version 1 of the official SDK also has a `tool` method, so `registerTool` is checked first.
  if (isRegistrar(server, method)) registerAll(server, modules, theirs);
  else if (isEditor(server)) for (const module of modules) ours(server, module);
  else if (isUpdatable(server)) {
    server.update((editor) => {
      for (const module of modules) ours(editor, module);
    });
  } else
    throw new Error(
      `The first argument of \`${PLURALS[method]}\` must be a Tenon builder, a Tenon server, or an official SDK ` +
        `\`McpServer\`; got ${kindOf(server)}.`,
    );
  return server;
}

const PLURALS = {
  registerTool: "registerTools",
  registerResource: "registerResources",
  registerPrompt: "registerPrompts",
} as const;

function registerAll<Module>(
  registrar: SdkRegistrar,
  modules: readonly Module[],
  theirs: Ways<Module>["theirs"],
): void {
  const done: SdkRegistration[] = [];
  try {
    for (const module of modules) done.push(theirs(registrar, module));
  } catch (error) {
    for (const one of done) one?.remove?.();
    throw error;
  }
}

function isEditor(server: object): server is Editor {
  return "tool" in server && typeof server.tool === "function" && "resourceTemplate" in server;
}

function isUpdatable(server: object): server is { update(change: (editor: Editor) => void): unknown } {
  return "update" in server && typeof server.update === "function";
}

/** Validates all modules before the first one is registered. */
function assertModules(
  noun: string,
  modules: readonly { readonly name: string; readonly handler: unknown }[],
): void {
  const names = new Set<string>();
  for (const [index, module] of modules.entries()) {
    const { name, handler } = (module ?? {}) as Partial<typeof module>; // JavaScript callers may pass anything
    if (typeof name !== "string" || name === "") {
      const got = name === "" ? '""' : typeof name;
      throw new Error(`${noun} module at index ${index}: \`name\` must be a non-empty string; got ${got}.`);
    }
    if (typeof handler !== "function")
      throw new Error(`${noun} "${name}": \`handler\` must be a function; got ${typeof handler}.`);
    if (names.has(name)) throw new Error(`${noun} "${name}" is already defined. Names must be unique.`);
    names.add(name);
  }
}

function toolSpec(module: ToolModule<unknown, unknown, unknown>, context: unknown) {
  const { inputSchema: input, outputSchema: output, task } = module;
  return {
    ...describedBy(module),
    ...scopesOption(module),
    input,
    ...(output === undefined ? {} : { output }),
    ...(task === undefined ? {} : { task }),
    handler: (args: unknown, call: Call) => module.handler(args, extraOfCall(call), context),
  };
}

function addResource(editor: Editor, module: ResourceModule<unknown, unknown>, context: unknown): unknown {
  const { name, uri, uriTemplate } = module;
  const described = { ...describedBy(module), ...scopesOption(module) };
  const run = (target: { readonly uri: string; readonly variables: unknown }, call: Call) =>
    module.handler(target, extraOfCall(call), context);
  if (uriTemplate === undefined) {
    const handler = (at: string, call: Call) => run({ uri: at, variables: {} }, call);
    return editor.resource(name, { ...described, uri, handler });
  }
  const handler = (variables: unknown, call: Call, at: string) => run({ uri: at, variables }, call);
  return editor.resourceTemplate(name, { ...described, uriTemplate, handler });
}

function addPrompt(editor: Editor, module: PromptModule<unknown, unknown>, context: unknown): unknown {
  const { name, argsSchema } = module;
  return editor.prompt(name, {
    ...describedBy(module),
    ...scopesOption(module),
    ...(argsSchema === undefined ? {} : { arguments: argsSchema }),
    handler: (args: unknown, call: Call) => module.handler(args, extraOfCall(call), context),
  });
}
