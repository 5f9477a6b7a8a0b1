/**
 * @fileoverview Converts tools to and from their MCP definitions.
 * @module model/converters/tool-wire-converter
 */
import type { JsonObject } from "@tenon/internal/json";
import { RETURN_DIRECT_META, type McpToolDefinition, type ToolHints } from "../../protocol/index.js";
import type { ToolAnnotations } from "../tool-annotations.js";
import { Tool } from "../tool.js";
import { fromDescribed, toDescribed, withoutUndefined } from "./described.js";
import { ToolAnnotationsWireConverter } from "./tool-annotations-wire-converter.js";
import { ToolConverterBase } from "./tool-converter-base.js";

/** Converts between tools and their MCP definitions. Drops parent groups. */
export class ToolWireConverter extends ToolConverterBase<McpToolDefinition> {
  readonly #annotations = new ToolAnnotationsWireConverter();

  override convertFromTool(tool: Tool): McpToolDefinition {
    const { inputSchema, outputSchema, annotations, meta } = tool;
    const returnDirect = annotations?.returnDirect;
    return {
      ...toDescribed(tool),
      inputSchema,
      ...withoutUndefined({ outputSchema, annotations: this.#hints(annotations) }),
      ...(returnDirect === undefined ? {} : { _meta: { ...meta, [RETURN_DIRECT_META]: returnDirect } }),
    };
  }

  override convertToTool(definition: McpToolDefinition): Tool {
    const { inputSchema, outputSchema, annotations: hints } = definition;
    const { returnDirect, meta } = takeReturnDirect(definition._meta);
    const known = hints !== undefined || returnDirect !== undefined;
    const annotations = known ? this.#annotations.convertToToolAnnotation(hints ?? {}) : undefined;
    if (annotations !== undefined) annotations.returnDirect = returnDirect;
    return new Tool(definition.name, {
      ...fromDescribed(definition),
      meta,
      inputSchema,
      outputSchema,
      annotations,
    });
  }

  /** Returns the MCP annotations, or `undefined` if only `returnDirect` is set, which is sent in `_meta`. */
  #hints(annotations: ToolAnnotations | undefined): ToolHints | undefined {
    if (annotations === undefined) return undefined;
    const hints = this.#annotations.convertFromToolAnnotation(annotations);
    const onlyInMeta = annotations.returnDirect !== undefined && Object.keys(hints).length === 0;
    return onlyInMeta ? undefined : hints;
  }
}

/** Takes a boolean `returnDirect` out of `_meta`. Drops `_meta` if it becomes empty. */
function takeReturnDirect(meta: JsonObject | undefined): {
  returnDirect?: boolean;
  meta: JsonObject | undefined;
} {
  const { [RETURN_DIRECT_META]: returnDirect, ...rest } = meta ?? {};
  if (typeof returnDirect !== "boolean") return { meta };
  return { returnDirect, meta: Object.keys(rest).length === 0 ? undefined : rest };
}
