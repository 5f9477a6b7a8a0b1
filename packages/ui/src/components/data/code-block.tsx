/**
 * @fileoverview Block of code or data.
 * @module ui/components/data/code-block
 */
import { useState } from "preact/hooks";
import { formatCount } from "../../support/format.js";
import { Button } from "../controls/button.js";
import { CopyButton } from "../controls/copy-button.js";

/** Properties of `CodeBlock`. */
export interface CodeBlockProps {
  readonly text: string;
  /** Name for screen readers. @default "Code" */
  readonly label?: string | undefined;
  /** Language, shown above the text. */
  readonly language?: string | undefined;
  /** True if long lines continue on the next one. @default false */
  readonly isWrapped?: boolean | undefined;
}

/** Characters that are shown at first. More of them make browsers slow. */
const SHOWN = 20_000;
/** Characters that are shown at most. The copy button copies the whole text. */
const MAX_SHOWN = 500_000;

/** Monospace text with a copy button. Long texts are cut until the user wants to see them. */
export function CodeBlock({ text, label = "Code", language, isWrapped = false }: CodeBlockProps) {
  const [limit, setLimit] = useState(SHOWN);
  const isCut = text.length > limit;
  return (
    <div class="t-code" data-wrapped={isWrapped}>
      <div class="t-code__bar">
        {language !== undefined && language !== "" && <span class="t-code__language">{language}</span>}
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <pre class="t-code__text" tabIndex={0} role="group" aria-label={label}>
        <code>{isCut ? text.slice(0, limit) : text}</code>
      </pre>
      {isCut && (
        <div class="t-code__more">
          <span>
            {formatCount(limit)} of {formatCount(text.length)} characters
          </span>
          {limit < MAX_SHOWN && (
            <Button tone="quiet" onClick={() => setLimit(MAX_SHOWN)}>
              {text.length > MAX_SHOWN ? "Show more" : "Show all"}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
