/**
 * @fileoverview Markdown as data: only what the renderer can show. It contains no HTML, and every link is safe.
 * @module ui/markdown/markdown-node
 */

/** Part of a paragraph. */
export type InlineNode =
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "strong" | "em" | "del"; readonly children: readonly InlineNode[] }
  | {
      readonly type: "link";
      readonly url: string;
      readonly isImage: boolean;
      readonly children: readonly InlineNode[];
    }
  | { readonly type: "break" };

/** Part of a document. */
export type BlockNode =
  | { readonly type: "heading"; readonly level: number; readonly children: readonly InlineNode[] }
  /** A paragraph, or the text of a list item, which has no space around it. */
  | { readonly type: "paragraph" | "line"; readonly children: readonly InlineNode[] }
  | { readonly type: "code"; readonly text: string; readonly language: string }
  | { readonly type: "quote"; readonly children: readonly BlockNode[] }
  | {
      readonly type: "list";
      /** Number of the first item. Absent for lists without numbers. */
      readonly start: number | undefined;
      readonly items: readonly MarkdownListItem[];
    }
  | {
      readonly type: "table";
      readonly align: readonly ColumnAlignment[];
      readonly header: readonly (readonly InlineNode[])[];
      readonly rows: readonly (readonly (readonly InlineNode[])[])[];
    }
  | { readonly type: "rule" };

/** Alignment of a column. */
export type ColumnAlignment = "left" | "center" | "right" | undefined;

/** Item of a list. */
export interface MarkdownListItem {
  /** State of a task. Absent for other items. */
  readonly isChecked: boolean | undefined;
  readonly children: readonly BlockNode[];
}

/** Parsed document. */
export interface MarkdownDocument {
  readonly blocks: readonly BlockNode[];
  /** Reason why a part of the text is missing or shown as plain text. */
  readonly note: string | undefined;
}
