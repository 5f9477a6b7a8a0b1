/**
 * @fileoverview Text with a switch between its views: text, Markdown, JSON, and table.
 * @module ui/content/text-content
 */
import { useMemo, useState } from "preact/hooks";
import { Table } from "../components/collections/table.js";
import { CodeBlock } from "../components/data/code-block.js";
import { Segments } from "../components/navigation/tabs.js";
import { JsonView } from "../json/json-view.js";
import { Markdown } from "../markdown/markdown.js";
import { type DetectedText, detectText, type TextView } from "./detect.js";

/** Properties of `TextContent`. */
export interface TextContentProps {
  readonly text: string;
  /** Name for screen readers. @default "Text" */
  readonly label?: string | undefined;
  /** Media type, if it is known. */
  readonly mediaType?: string | undefined;
}

const VIEW_LABELS: Readonly<Record<TextView, string>> = {
  text: "Text",
  markdown: "Markdown",
  json: "JSON",
  table: "Table",
};

/** Shows an untrusted text in the view that fits it best. The user can select another one. */
export function TextContent({ text, label = "Text", mediaType }: TextContentProps) {
  const detected = useMemo(() => detectText(text, { mediaType }), [text, mediaType]);
  const [selected, setSelected] = useState<TextView>();
  const view = selected !== undefined && detected.views.includes(selected) ? selected : detected.preferred;
  return (
    <div class="t-content__text">
      <Segments
        label={`View of ${label}`}
        options={detected.views.map((id) => ({ id, label: VIEW_LABELS[id] }))}
        selectedId={view}
        onSelect={(id) => setSelected(detected.views.find((one) => one === id))}
      />
      <TextBody text={text} label={label} view={view} detected={detected} />
    </div>
  );
}

interface TextBodyProps {
  readonly text: string;
  readonly label: string;
  readonly view: TextView;
  readonly detected: DetectedText;
}

function TextBody({ text, label, view, detected }: TextBodyProps) {
  switch (view) {
    case "markdown":
      return <Markdown text={text} />;
    case "json":
      return <JsonView label={label} value={detected.json} />;
    case "table":
      return <Table label={label} rows={detected.rows ?? []} />;
    case "text":
      return text === "" ? (
        <p class="t-quiet">Empty text</p>
      ) : (
        <CodeBlock text={text} label={label} isWrapped />
      );
  }
}
