/**
 * @fileoverview Tools and resources from files.
 * @module transport/node/definition-files
 */
import { readFileSync } from "node:fs";
import { ServerBuilder, type NoTools, type ToolTypes } from "../../core/builder.js";
import { parseResources, parseTools, type Resource, type Tool } from "../../core/definitions.js";
import type { DefinitionOptions } from "../../core/plan.js";
import type { Server as BuiltServer, ToolMap } from "../../core/server.js";
import type { ToolSpec } from "../../core/tool.js";
import type { Schema } from "../../schema/schema.js";

/** Reads tools from a JSON file. @throws with the file, index and reason */
export function loadTools(path: string | URL): Tool[] {
  return parseTools(readDefinitions(path), String(path));
}

/** Reads resources from a JSON file. @throws with the file, index and reason */
export function loadResources(path: string | URL): Resource[] {
  return parseResources(readDefinitions(path), String(path));
}

/** The builder of the root entry, which reads files too. */
export class NodeServerBuilder<Context = unknown, Tools extends ToolMap = NoTools> extends ServerBuilder<
  Context,
  Tools
> {
  /** Adds the tools of a JSON file. @throws with the file, index and reason */
  toolsFile(path: string | URL, options: DefinitionOptions = {}): this {
    return this.tools(loadTools(path), { label: String(path), ...options });
  }

  /** Adds the resources of a JSON file. @throws with the file, index and reason */
  resourcesFile(path: string | URL, options: DefinitionOptions = {}): this {
    return this.resources(loadResources(path), { label: String(path), ...options });
  }

  /** Adds a tool in code. Its arguments and result are typed by its schemas. */
  override tool<
    const Name extends string,
    In extends Schema | undefined = undefined,
    Out extends Schema | undefined = undefined,
  >(
    name: Name,
    spec: ToolSpec<Context, In, Out>,
  ): NodeServerBuilder<Context, Tools & Record<Name, ToolTypes<In, Out>>> {
    super.tool(name, spec);
    // The same builder, which knows one tool more from here on.
    return this as unknown as NodeServerBuilder<Context, Tools & Record<Name, ToolTypes<In, Out>>>;
  }
}

/** A built server. */
export type Server<Context = unknown, Tools extends ToolMap = ToolMap> = BuiltServer<Context, Tools>;

/** Where a server that is declared in files starts. */
export const Server = {
  /** A builder without a name yet; `serverInfo` gives it one. */
  builder: <Context = unknown>(): NodeServerBuilder<Context> => new NodeServerBuilder<Context>(),
};

function readDefinitions(path: string | URL): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
    throw new Error(`${String(path)}: cannot be read (${reason})`, { cause });
  }
}
