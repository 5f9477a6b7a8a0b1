/**
 * @fileoverview Turns tokens of `marked` into nodes. HTML becomes text, images become links, and unsafe links become their
 * text. Nesting and the number of nodes are limited.
 * @module ui/markdown/to-nodes
 */
import type { MarkedToken, Token, Tokens } from "marked";
import { safeUrl } from "../support/safe-url.js";
import { decodeEntities } from "./entities.js";
import type { BlockNode, InlineNode, MarkdownListItem } from "./markdown-node.js";

/** Limits of a conversion. */
export interface NodeLimits {
  readonly maxDepth: number;
  readonly maxNodes: number;
}

/** Converts the tokens of one document. Counts its nodes, and remembers the limit that was reached. */
export class NodeConverter {
  /** Limit that was reached, or `undefined`. */
  reached: "depth" | "nodes" | undefined;
  readonly #limits: NodeLimits;
  #count = 0;

  constructor(limits: NodeLimits) {
    this.#limits = limits;
  }

  /** Converts the tokens of a document. */
  toBlocks(tokens: readonly Token[]): readonly BlockNode[] {
    return this.#blocks(tokens, 1);
  }

  /** Converts tokens until there are too many nodes. */
  #convert<N>(tokens: readonly Token[], toNodes: (token: MarkedToken) => readonly N[]): readonly N[] {
    const nodes: N[] = [];
    for (const token of tokens) {
      if (this.#count >= this.#limits.maxNodes) {
        this.reached = "nodes";
        break;
      }
      this.#count++;
      // Safe: without extensions, the lexer creates only these tokens. Unknown ones become text.
      nodes.push(...toNodes(token as MarkedToken));
    }
    return nodes;
  }

  #isTooDeep(depth: number): boolean {
    if (depth <= this.#limits.maxDepth) return false;
    this.reached = "depth";
    return true;
  }

  #blocks(tokens: readonly Token[], depth: number): readonly BlockNode[] {
    const isTooDeep = this.#isTooDeep(depth);
    return this.#convert(tokens, (token) => (isTooDeep ? [plain(token)] : this.#toBlock(token, depth)));
  }

  #toBlock(token: MarkedToken, depth: number): readonly BlockNode[] {
    switch (token.type) {
      case "space":
      case "def":
      case "checkbox":
        return [];
      case "heading":
        return [{ type: "heading", level: token.depth, children: this.#inline(token.tokens, depth + 1) }];
      case "paragraph": {
        const children = this.#inline(token.tokens, depth + 1);
        // A paragraph that contained only the checkbox of a task.
        return children.length === 0 ? [] : [{ type: "paragraph", children }];
      }
      case "text":
        return [{ type: "line", children: this.#inline(token.tokens ?? [token], depth + 1) }];
      case "code":
        return [{ type: "code", text: token.text, language: languageOf(token.lang) }];
      case "blockquote":
        return [{ type: "quote", children: this.#blocks(token.tokens, depth + 1) }];
      case "list":
        return [this.#toList(token, depth)];
      case "table":
        return [this.#toTable(token, depth)];
      case "hr":
        return [{ type: "rule" }];
      default:
        return [plain(token)];
    }
  }

  #toList({ start, items }: Tokens.List, depth: number): BlockNode {
    const toItems = (token: MarkedToken): readonly MarkdownListItem[] => {
      if (token.type !== "list_item") return [];
      const isChecked = token.task ? token.checked === true : undefined;
      return [{ isChecked, children: this.#blocks(token.tokens, depth + 1) }];
    };
    return {
      type: "list",
      start: typeof start === "number" ? start : undefined,
      items: this.#convert(items, toItems),
    };
  }

  #toTable({ align, header, rows }: Tokens.Table, depth: number): BlockNode {
    const cells = (row: readonly Tokens.TableCell[]) =>
      row.map((cell) => this.#inline(cell.tokens, depth + 1));
    const converted = [];
    for (const row of rows) {
      if (this.#count >= this.#limits.maxNodes) break;
      // Empty cells count too.
      this.#count += row.length;
      converted.push(cells(row));
    }
    return {
      type: "table",
      align: align.map((side) => side ?? undefined),
      header: cells(header),
      rows: converted,
    };
  }

  #inline(tokens: readonly Token[], depth: number): readonly InlineNode[] {
    const isTooDeep = this.#isTooDeep(depth);
    return this.#convert(tokens, (token) =>
      isTooDeep ? [{ type: "text", text: token.raw }] : this.#toInline(token, depth),
    );
  }

  #toInline(token: MarkedToken, depth: number): readonly InlineNode[] {
    switch (token.type) {
      case "strong":
      case "em":
      case "del":
        return [{ type: token.type, children: this.#inline(token.tokens, depth + 1) }];
      case "codespan":
        return [{ type: "code", text: token.text }];
      case "br":
        return [{ type: "break" }];
      case "link":
        return toLink(token.href, this.#inline(token.tokens, depth + 1));
      case "image": {
        const alternative = token.text === "" ? token.href : token.text;
        return toLink(token.href, [{ type: "text", text: decodeEntities(alternative) }], true);
      }
      case "checkbox":
        return [];
      case "text":
        return [{ type: "text", text: decodeEntities(token.text) }];
      case "escape":
        return [{ type: "text", text: token.text }];
      default:
        return [{ type: "text", text: token.raw }];
    }
  }
}

/** Returns a link, or only its text if its URL is not safe. */
function toLink(href: string, children: readonly InlineNode[], isImage = false): readonly InlineNode[] {
  const url = safeUrl(decodeEntities(href));
  return url === undefined ? children : [{ type: "link", url, isImage, children }];
}

/** Returns the source of a token as text. */
function plain({ raw }: MarkedToken): BlockNode {
  return { type: "paragraph", children: [{ type: "text", text: raw.trimEnd() }] };
}

/** Returns the first word after a code fence, without characters that are not part of a language's name. */
function languageOf(info: string | undefined): string {
  return /^[\w#+.-]{1,30}/.exec(info ?? "")?.[0] ?? "";
}
