/**
 * @fileoverview Shows MCP content: the blocks of a result, of a prompt's message, or of a resource.
 * @module ui/content/content-view
 */
import { isJsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import { useMemo } from "preact/hooks";
import { Note } from "../components/controls/badge.js";
import { JsonView } from "../json/json-view.js";
import { Icon } from "../icons/icon.js";
import { formatBytes, formatQuantity } from "../support/format.js";
import { type ContentBlock, readBlocks, type Resource, type ResourceLink } from "./blocks.js";
import { MediaContent } from "./media-content.js";
import { StructuredContent } from "./structured-content.js";
import { TextContent } from "./text-content.js";

/** Properties of `ContentView`. */
export interface ContentViewProps {
  /** `content` of a result, or the content of a message. */
  readonly content: unknown;
  /** Called with the URI of a resource link that the user clicks. Without it, links are texts. */
  readonly onOpenResource?: ((uri: string) => void) | undefined;
}

/** Shows untrusted content blocks. */
export function ContentView({ content, onOpenResource }: ContentViewProps) {
  const { blocks, omitted } = useMemo(() => readBlocks(content), [content]);
  if (blocks.length === 0) return <p class="t-quiet">No content</p>;
  return (
    <ol class="t-content">
      {blocks.map((block, index) => (
        <li key={index} class="t-content__block">
          <BlockView block={block} label={`Content ${index + 1}`} onOpenResource={onOpenResource} />
        </li>
      ))}
      {omitted > 0 && (
        <li>
          <Note>{formatQuantity(omitted, "more block")} not shown.</Note>
        </li>
      )}
    </ol>
  );
}

/** Properties of `BlockView`. */
export interface BlockViewProps extends Pick<ContentViewProps, "onOpenResource"> {
  readonly block: ContentBlock;
  /** Name for screen readers. */
  readonly label: string;
}

/** Shows one content block. */
export function BlockView({ block, label, onOpenResource }: BlockViewProps) {
  switch (block.type) {
    case "text":
      return (
        <>
          {block.resource && <ResourceHead {...block.resource} />}
          <TextContent text={block.text} label={label} mediaType={block.resource?.mediaType} />
        </>
      );
    case "media":
      return (
        <>
          {block.resource && <ResourceHead {...block.resource} />}
          <MediaContent data={block.data} mediaType={block.mediaType} name={block.resource?.uri} />
        </>
      );
    case "link":
      return <LinkView link={block} onOpenResource={onOpenResource} />;
    case "unknown":
      return (
        <>
          <Note tone="warning">This content block has an unknown type.</Note>
          <JsonView label={label} value={block.value} />
        </>
      );
  }
}

/** Properties of `ResultView`. */
export interface ResultViewProps extends Pick<ContentViewProps, "onOpenResource"> {
  /** Result of a tool call. */
  readonly result: unknown;
}

/** Shows the result of a tool call: its content, and its structured content. */
export function ResultView({ result, onOpenResource }: ResultViewProps) {
  if (!isJsonObject(result)) return <JsonView label="Result" value={result} />;
  const { content, structuredContent } = result;
  return (
    <div class="t-result">
      {content !== undefined && (
        <section aria-label="Content">
          <h3 class="t-result__title">Content</h3>
          <ContentView content={content} onOpenResource={onOpenResource} />
        </section>
      )}
      {structuredContent !== undefined && (
        <section aria-label="Structured content">
          <h3 class="t-result__title">Structured content</h3>
          <StructuredContent value={structuredContent} />
        </section>
      )}
      {content === undefined && structuredContent === undefined && <JsonView label="Result" value={result} />}
    </div>
  );
}

function LinkView({
  link,
  onOpenResource,
}: { readonly link: ResourceLink } & Pick<ContentViewProps, "onOpenResource">) {
  const facts = [link.mediaType, link.size === undefined ? undefined : formatBytes(link.size)]
    .filter((fact) => fact !== undefined)
    .map((fact) => oneLine(fact, 60))
    .join(", ");
  const name = oneLine(link.name, 200);
  return (
    <div class="t-content__link">
      {onOpenResource === undefined ? (
        <span class="t-content__link-name">{name}</span>
      ) : (
        <button type="button" class="t-button" data-tone="default" onClick={() => onOpenResource(link.uri)}>
          <Icon name="link" />
          <span>{name}</span>
        </button>
      )}
      <code>{oneLine(link.uri, 500)}</code>
      {facts !== "" && <span class="t-quiet">{facts}</span>}
      {link.description !== undefined && <p class="t-quiet">{oneLine(link.description, 500)}</p>}
    </div>
  );
}

function ResourceHead({ uri, mediaType }: Resource) {
  return (
    <p class="t-content__head">
      <Icon name="file" />
      <code>{oneLine(uri, 500)}</code>
      {mediaType !== undefined && <span class="t-quiet">{oneLine(mediaType, 60)}</span>}
    </p>
  );
}
