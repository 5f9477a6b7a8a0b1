/**
 * @fileoverview Contents of a resource.
 * @module cli/page-app/views/call/resource-contents
 */
import type { JsonObject } from "@tenon/internal/json";
import { readResource } from "@tenon/ui/content/blocks.js";
import { BlockView } from "@tenon/ui/content/content-view.js";
import { JsonView } from "@tenon/ui/json/json-view.js";
import { Note } from "@tenon/ui/components/controls/badge.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { useMemo } from "preact/hooks";

const MAX_CONTENTS = 100;

/** Shows the contents of a resource: texts, images, sounds, and files. */
export function ResourceContents({ result }: { readonly result: JsonObject }) {
  const contents = useMemo(() => {
    const all: readonly unknown[] = Array.isArray(result["contents"]) ? result["contents"] : [];
    return all.map((value) => readResource(value) ?? ({ type: "unknown", value } as const));
  }, [result]);
  if (!Array.isArray(result["contents"])) return <JsonView label="Result" value={result} />;
  if (contents.length === 0) return <p class="t-quiet">No contents</p>;
  return (
    <ol class="t-content">
      {contents.slice(0, MAX_CONTENTS).map((block, index) => (
        <li key={index} class="t-content__block">
          <BlockView block={block} label={`Content ${index + 1}`} />
        </li>
      ))}
      {contents.length > MAX_CONTENTS && (
        <li>
          <Note>{formatQuantity(contents.length - MAX_CONTENTS, "more part")} not shown.</Note>
        </li>
      )}
    </ol>
  );
}
