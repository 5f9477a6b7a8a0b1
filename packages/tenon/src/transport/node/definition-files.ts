/**
 * @fileoverview Loads tools and resources from JSON files.
 * @module tenon/transport/node/definition-files
 */
import { ServerBuilder } from "../../core/server.js";
import type { AddedTool, NoTools, WithTools } from "../../core/tool-types.js";
import {
  parseResources,
  parseTools,
  type Resource,
  type Tool,
} from "../../core/definitions/json-definitions.js";
import type { DefinitionOptions } from "../../core/definitions/plan.js";
import type { ToolMap } from "../../core/wire/hosted-server.js";
import type { ToolSpec } from "../../core/definitions/tool.js";
import type { Schema } from "../../schema/schema.js";
import { loadFs } from "./builtin-fs.js";
import { codeOf } from "@tenon/internal/thrown";

/**
 * Reads tools from a JSON file.
 *
 * @throws if the file is invalid; the message names the file, index, and reason
 */
export function loadTools(path: string | URL): Tool[] {
  return parseTools(readDefinitions(path), String(path));
}

/**
 * Reads resources from a JSON file.
 *
 * @throws if the file is invalid; the message names the file, index, and reason
 */
export function loadResources(path: string | URL): Resource[] {
  return parseResources(readDefinitions(path), String(path));
}

/** Server builder that also reads definitions from files. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- it inherits every method of the interface
export class NodeServerBuilder<
  Context = unknown,
  Tools extends ToolMap = WithTools<NoTools, never>,
> extends ServerBuilder<Context, Tools> {
  /**
   * Adds the tools from a JSON file.
   *
   * @throws if the file is invalid; the message names the file, index, and reason
   */
  toolsFile(path: string | URL, options?: DefinitionOptions): NodeServerBuilder<Context, Tools & ToolMap> {
    return this.tools(loadTools(path), options);
  }

  /**
   * Adds the resources from a JSON file.
   *
   * @throws if the file is invalid; the message names the file, index, and reason
   */
  resourcesFile(path: string | URL): this {
    return this.resources(loadResources(path), { label: String(path) });
  }
}

/** Inherited methods that return a builder of another type: here, it reads files too. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- see the class
export interface NodeServerBuilder<Context, Tools extends ToolMap> {
  tool<
    const Name extends string,
    In extends Schema | undefined = undefined,
    Out extends Schema | undefined = undefined,
    Base extends ToolMap = Tools,
    Added = never,
  >(
    this: NodeServerBuilder<Context, WithTools<Base, Added>>,
    name: Name,
    spec: ToolSpec<Context, In, Out>,
  ): NodeServerBuilder<Context, WithTools<Base, Added | AddedTool<Name, In, Out>>>;
  tools(...args: Parameters<ServerBuilder["tools"]>): NodeServerBuilder<Context, Tools & ToolMap>;
  toolsJson(...args: Parameters<ServerBuilder["toolsJson"]>): NodeServerBuilder<Context, Tools & ToolMap>;
  with<Added extends ToolMap, Used>(
    add: (builder: NodeServerBuilder<Context>) => NodeServerBuilder<Used, Added>,
  ): NodeServerBuilder<Context, Tools & Added>;
  with<Result>(add: (builder: this) => Result): Result;
}

/** Entry point for servers that are declared in files. */
export const NodeServer = {
  /** Creates a builder without a name. Set the name with `serverInfo`. */
  builder: <Context = unknown>(): NodeServerBuilder<Context> => new NodeServerBuilder<Context>(),
};

function readDefinitions(path: string | URL): Uint8Array {
  try {
    return loadFs().readFileSync(path);
  } catch (cause) {
    const reason = String(codeOf(cause) ?? "unknown reason");
    throw new Error(
      `${String(path)}: could not read the file (${reason}). Check the path and its permissions.`,
      { cause },
    );
  }
}
