/**
 * @fileoverview Messages of a call as they were sent, in order, with their headers.
 * @module cli/page-app/views/wire/wire-messages
 */
import { readJson } from "@tenon/internal/json";
import { Badge, Note } from "@tenon/ui/components/controls/badge.js";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { KeyValueList } from "@tenon/ui/components/data/key-value.js";
import { Segments } from "@tenon/ui/components/navigation/tabs.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { toJsonText } from "@tenon/ui/json/json-value.js";
import { formatBytes, formatDuration, formatQuantity } from "@tenon/ui/support/format.js";
import { useMemo, useState } from "preact/hooks";
import type { Era } from "tenon/protocol";
import type { WireEntry } from "../../../src/page/protocol.js";
import { ERA_LABELS } from "../../state/calls/call-facts.js";
import { toLabel } from "../../state/text.js";
import { describeMessage } from "./describe-message.js";

const MAX_SHOWN = 100;

/** Properties of `WireMessages`. */
export interface WireMessagesProps {
  readonly wire: readonly WireEntry[];
  /** Era of the call. Two lists of messages can be next to each other, and screen readers tell them apart by it. */
  readonly era: Era;
}

/** Shows messages in order. */
export function WireMessages({ wire, era }: WireMessagesProps) {
  const [isExact, setIsExact] = useState(false);
  const [limit, setLimit] = useState(MAX_SHOWN);
  if (wire.length === 0) return <p class="t-quiet">No messages yet</p>;
  return (
    <div class="p-wire">
      <Segments
        label="View of the messages"
        options={[
          { id: "formatted", label: "Formatted" },
          { id: "exact", label: "Exact" },
        ]}
        selectedId={isExact ? "exact" : "formatted"}
        onSelect={(id) => setIsExact(id === "exact")}
      />
      <ol class="p-wire__list">
        {wire.slice(0, limit).map((entry, index) => (
          <WireMessage
            key={index}
            entry={entry}
            name={`${ERA_LABELS[era]} message ${index + 1}`}
            isExact={isExact}
          />
        ))}
      </ol>
      {wire.length > limit && (
        <button type="button" class="t-button" data-tone="default" onClick={() => setLimit(wire.length)}>
          <span>Show {formatQuantity(wire.length - limit, "more message")}</span>
        </button>
      )}
    </div>
  );
}

interface WireMessageProps {
  readonly entry: WireEntry;
  /** Name for screen readers. */
  readonly name: string;
  readonly isExact: boolean;
}

function WireMessage({ entry, name, isExact }: WireMessageProps) {
  const { direction, at, http, text, isCut } = entry;
  const label = direction === "sent" ? "Sent" : "Received";
  const shown = useMemo(() => (isExact ? text : formatMessage(text)), [text, isExact]);
  const bytes = useMemo(() => new TextEncoder().encode(text).length, [text]);
  return (
    <li class="p-wire__message" data-direction={direction}>
      <div class="p-wire__head">
        <Icon name={direction === "sent" ? "arrow-up" : "arrow-down"} />
        <strong>{label}</strong>
        <span class="p-wire__title">{describeMessage(entry)}</span>
        {http?.status !== undefined && (
          <Badge tone={http.status < 400 ? "success" : "danger"}>{http.status}</Badge>
        )}
        <span class="p-wire__time">
          {formatBytes(bytes)}, {formatDuration(at)}
        </span>
      </div>
      {http !== undefined && http.headers.length > 0 && <Headers headers={http.headers} />}
      {text !== "" && (
        <CodeBlock text={shown} label={`${name}, ${label.toLowerCase()}`} isWrapped={isExact} />
      )}
      {isCut && <Note tone="warning">The message is cut, because it is too long or there are too many.</Note>}
    </li>
  );
}

function Headers({ headers }: Pick<NonNullable<WireEntry["http"]>, "headers">) {
  return (
    <details class="p-details" open>
      <summary>{formatQuantity(headers.length, "header")}</summary>
      <KeyValueList
        class="p-headers"
        entries={headers.map(([name, value]) => ({
          name: toLabel(name, 100),
          value: toLabel(value, 2_000),
          isMono: true,
        }))}
      />
    </details>
  );
}

/** Returns the JSON of a message with line breaks, or the text itself if it is not JSON. */
function formatMessage(text: string): string {
  const value = readJson(text);
  return value === undefined ? text : toJsonText(value);
}
