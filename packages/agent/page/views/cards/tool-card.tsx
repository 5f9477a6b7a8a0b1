/**
 * @fileoverview Tool call: its name, its status, and on demand its parameters and its result.
 * @module agent/page-app/views/cards/tool-card
 */
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { Note } from "@tenon/ui/components/controls/badge.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { toJsonText } from "@tenon/ui/json/json-value.js";
import { useId, useState } from "preact/hooks";
import { isLongCall, summarize, TOOL_ICONS, TOOL_LABELS } from "../../state/items/tool-facts.js";
import type { ToolItem } from "../../state/items/item.js";
import { toLabel } from "../../state/text.js";
import { ParamList } from "./param-list.js";

/** Tool call. A long one is open while the model writes it. */
export function ToolCard({ item }: { readonly item: ToolItem }) {
  const id = useId();
  const [choice, setChoice] = useState<boolean>();
  const isOpen = choice ?? (item.status === "writing" && isLongCall(item));
  const name = toLabel(item.name, 100);
  return (
    <section
      class="a-tool"
      data-status={item.status}
      aria-label={`Tool ${name}: ${TOOL_LABELS[item.status]}`}
    >
      <button
        type="button"
        class="a-tool__head"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setChoice(!isOpen)}
      >
        <StatusMark status={item.status} />
        <span class="a-tool__name">{name}</span>
        <span class="a-tool__summary">{summarize(item)}</span>
        <span class="a-tool__status">{item.status === "done" ? "" : TOOL_LABELS[item.status]}</span>
        <Icon name="chevron-right" />
      </button>
      {isOpen && (
        <div id={id} class="a-tool__body">
          <ParamList params={item.params} label="Parameters" />
          <ToolOutcome item={item} />
        </div>
      )}
    </section>
  );
}

function StatusMark({ status }: Pick<ToolItem, "status">) {
  if (status === "writing" || status === "running") return <Spinner />;
  return (
    <span class="a-tool__mark">
      <Icon name={TOOL_ICONS[status]} />
    </span>
  );
}

function ToolOutcome({ item }: { readonly item: ToolItem }) {
  const { text, result, error, status } = item;
  return (
    <>
      {text !== "" && (
        <div class="a-tool__part">
          <h3 class="a-tool__title">{status === "running" ? "Progress" : "Message"}</h3>
          <p class="a-tool__text">{text.slice(0, MAX_TEXT)}</p>
        </div>
      )}
      {error !== undefined && error !== "" && (
        <Note tone={status === "denied" ? "warning" : "danger"}>{error.slice(0, MAX_TEXT)}</Note>
      )}
      {result !== undefined && result !== null && (
        <div class="a-tool__part">
          <h3 class="a-tool__title">Result</h3>
          <CodeBlock
            text={typeof result === "string" ? result : toJsonText(result)}
            label="Result"
            isWrapped
          />
        </div>
      )}
    </>
  );
}

const MAX_TEXT = 20_000;
