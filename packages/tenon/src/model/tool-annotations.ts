/**
 * @fileoverview Hints about a tool's behavior.
 * @module model/tool-annotations
 */

/** Hints as plain data. `aggregateAnnotations` from `tenon/grouped` returns this form. */
export interface ToolAnnotationValues {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
  readonly returnDirect?: boolean | undefined;
}

/** Hints about a tool's behavior. Hints are not guarantees, and a missing hint does not mean `false`. */
export class ToolAnnotations {
  title: string | undefined;
  /** The tool does not change anything. */
  readOnlyHint: boolean | undefined;
  /** The tool may delete or overwrite data. */
  destructiveHint: boolean | undefined;
  /** Repeating a call has no further effect. */
  idempotentHint: boolean | undefined;
  /** The tool accesses systems outside the server. */
  openWorldHint: boolean | undefined;
  /** The result is shown to the user without passing through the model. MCP does not define this hint. */
  returnDirect: boolean | undefined;

  constructor(values: ToolAnnotationValues = {}) {
    this.title = values.title;
    this.readOnlyHint = values.readOnlyHint;
    this.destructiveHint = values.destructiveHint;
    this.idempotentHint = values.idempotentHint;
    this.openWorldHint = values.openWorldHint;
    this.returnDirect = values.returnDirect;
  }
}
