/**
 * @fileoverview Converts tool annotations to and from MCP annotations.
 * @module model/converters/tool-annotations-wire-converter
 */
import type { ToolHints } from "../../protocol/index.js";
import { ToolAnnotations } from "../tool-annotations.js";
import { withoutUndefined } from "./described.js";
import { ToolAnnotationsConverterBase } from "./tool-annotations-converter-base.js";

/**
 * Converts between `ToolAnnotations` and MCP annotations. MCP does not define `returnDirect`, so `ToolWireConverter`
 * puts it in the tool's `_meta`.
 */
export class ToolAnnotationsWireConverter extends ToolAnnotationsConverterBase<ToolHints> {
  override convertFromToolAnnotation(annotation: ToolAnnotations): ToolHints {
    const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotation;
    return withoutUndefined({ title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint });
  }

  override convertToToolAnnotation(hints: ToolHints): ToolAnnotations {
    const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = hints;
    return new ToolAnnotations({ title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint });
  }
}
