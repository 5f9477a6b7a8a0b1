/**
 * @fileoverview Renders Markdown as elements, without HTML strings.
 * @module ui/markdown/markdown
 */
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Note } from "../components/controls/badge.js";
import { CodeBlock } from "../components/data/code-block.js";
import { Icon } from "../icons/icon.js";
import type { BlockNode, InlineNode } from "./markdown-node.js";
import { parseMarkdown } from "./parse.js";

/** Properties of `Markdown`. */
export interface MarkdownProps {
  readonly text: string;
  /** Level of the heading above the text, so that headings in the text are below it. @default 2 */
  readonly headingLevel?: number | undefined;
}

/** Renders untrusted Markdown. */
export function Markdown({ text, headingLevel = 2 }: MarkdownProps) {
  const { blocks, note } = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div class="t-markdown">
      {blocksOf(blocks, headingLevel)}
      {note !== undefined && <Note>{note}</Note>}
    </div>
  );
}

function Block({ node, headingLevel }: { readonly node: BlockNode; readonly headingLevel: number }): VNode {
  switch (node.type) {
    case "heading": {
      const Tag = (["h1", "h2", "h3", "h4", "h5"] as const)[headingLevel + node.level - 1] ?? "h6";
      return <Tag>{inline(node.children)}</Tag>;
    }
    case "paragraph":
      return <p>{inline(node.children)}</p>;
    case "line":
      return <>{inline(node.children)}</>;
    case "code":
      return <CodeBlock text={node.text} language={node.language} />;
    case "quote":
      return <blockquote>{blocksOf(node.children, headingLevel)}</blockquote>;
    case "list":
      return <ListBlock {...node} headingLevel={headingLevel} />;
    case "table":
      return <TableBlock {...node} />;
    case "rule":
      return <hr />;
  }
}

type ListBlockProps = Extract<BlockNode, { readonly type: "list" }> & { readonly headingLevel: number };

function ListBlock({ start, items, headingLevel }: ListBlockProps) {
  const children = items.map((item, index) => (
    <li key={index} data-task={item.isChecked !== undefined}>
      {item.isChecked !== undefined && <TaskMark isChecked={item.isChecked} />}
      {blocksOf(item.children, headingLevel)}
    </li>
  ));
  return start === undefined ? <ul>{children}</ul> : <ol start={start}>{children}</ol>;
}

function TaskMark({ isChecked }: { readonly isChecked: boolean }) {
  return (
    <span
      class="t-markdown__task"
      data-checked={isChecked}
      role="img"
      aria-label={isChecked ? "Done" : "Not done"}
    >
      {isChecked && <Icon name="check" />}
    </span>
  );
}

function TableBlock({ align, header, rows }: Extract<BlockNode, { readonly type: "table" }>) {
  return (
    <div class="t-markdown__table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} scope="col" data-align={align[index]}>
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, rowIndex) => (
            <tr key={rowIndex}>
              {row.map((cell, index) => (
                <td key={index} data-align={align[index]}>
                  {inline(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function blocksOf(nodes: readonly BlockNode[], headingLevel: number) {
  return nodes.map((node, index) => <Block key={index} node={node} headingLevel={headingLevel} />);
}

function inline(nodes: readonly InlineNode[]) {
  return nodes.map((node, index) => <Inline key={index} node={node} />);
}

function Inline({ node }: { readonly node: InlineNode }): VNode {
  switch (node.type) {
    case "text":
      return <>{node.text}</>;
    case "code":
      return <code>{node.text}</code>;
    case "strong":
    case "em":
    case "del":
      return <node.type>{inline(node.children)}</node.type>;
    case "break":
      return <br />;
    case "link":
      return (
        <ExternalLink url={node.url} isImage={node.isImage}>
          {inline(node.children)}
        </ExternalLink>
      );
  }
}

interface ExternalLinkProps {
  /** URL that `safeUrl` has returned. */
  readonly url: string;
  readonly isImage?: boolean | undefined;
  readonly children: ComponentChildren;
}

/** Link to another site, which opens in a new tab and gets no reference to this page. The tooltip shows its URL. */
export function ExternalLink({ url, isImage = false, children }: ExternalLinkProps) {
  return (
    <a class="t-link" href={url} target="_blank" rel="noopener noreferrer" title={url}>
      {isImage && <Icon name="image" label="Image" />}
      {children}
    </a>
  );
}
