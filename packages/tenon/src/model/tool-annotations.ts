/**
 * @fileoverview Hints on what a tool does.
 * @module model/tool-annotations
 */

/** The hints as plain data: what aggregating the actions of a grouped tool gives. */
export interface ToolAnnotationValues {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
  readonly returnDirect?: boolean | undefined;
}

/** Hints on what a tool does; none of them is a promise, and one that is absent is not `false`. */
export class ToolAnnotations {
  title: string | undefined;
  /** It changes nothing. */
  readOnlyHint: boolean | undefined;
  /** It may destroy something. */
  destructiveHint: boolean | undefined;
  /** The same call again changes nothing more. */
  idempotentHint: boolean | undefined;
  /** It deals with a world beyond the server. */
  openWorldHint: boolean | undefined;
  /** Its result is for the user as it is, without the model. MCP does not know this hint. */
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
