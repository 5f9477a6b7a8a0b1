/**
 * @fileoverview Properties of the views of one tool.
 * @module cli/page-app/views/tools/tool-props
 */
import type { ToolItem } from "../../state/tools/tool-item.js";

/** Properties of the views of one tool. */
export interface ToolProps {
  readonly tool: ToolItem;
}
