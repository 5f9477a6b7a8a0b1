/**
 * @fileoverview Parameters of a call.
 * @module agent/page-app/views/cards/param-list
 */
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { toJsonText } from "@tenon/ui/json/json-value.js";
import { toParams } from "../../state/items/tool-facts.js";
import { toLabel } from "../../state/text.js";

/** Properties of `ParamList`. */
export interface ParamListProps {
  readonly params: unknown;
  readonly label: string;
}

/** Characters of a value that are shown beside its name. Longer ones get a block. */
const MAX_INLINE = 200;

/** Parameters of a call with their names. */
export function ParamList({ params, label }: ParamListProps) {
  const entries = toParams(params);
  if (entries.length === 0) return null;
  return (
    <dl class="a-params" aria-label={label}>
      {entries.map(({ name, value }) => (
        <div key={name} class="a-params__entry">
          <dt>{name === "" ? "value" : toLabel(name, 100)}</dt>
          <dd>
            <ParamValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ParamValue({ value }: { readonly value: unknown }) {
  const text = typeof value === "string" ? value : toJsonText(value);
  if (text.length <= MAX_INLINE && !text.includes("\n")) return <span class="a-params__value">{text}</span>;
  return <CodeBlock text={text} label="Parameter" isWrapped />;
}
