/**
 * @fileoverview Messages and checks of one call, or of the same call in both eras.
 * @module cli/page-app/views/wire/call-wire
 */
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { Badge, Note } from "@tenon/ui/components/controls/badge.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { formatBytes, formatDuration, formatQuantity } from "@tenon/ui/support/format.js";
import type { Era } from "tenon/protocol";
import type { Comparison } from "../../app-context.js";
import { OutcomeBadge } from "../../components/badges.js";
import { useCall } from "../../components/hooks.js";
import { RouteLink } from "../../components/links.js";
import { Section } from "../../components/list-pane.js";
import { CHECK_FACTS, ERA_LABELS } from "../../state/calls/call-facts.js";
import { isJsonObject, readJson } from "@tenon/internal/json";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { KeyValueList } from "@tenon/ui/components/data/key-value.js";
import { Segments } from "@tenon/ui/components/navigation/tabs.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { toJsonText } from "@tenon/ui/json/json-value.js";
import { useMemo, useState } from "preact/hooks";
import type { Check, WireEntry } from "../../../src/page/protocol.js";
import { toLabel } from "../../state/text.js";

/** Messages and checks of a call. */
export function CallWire({ id }: { readonly id: string }) {
  const { detail, message } = useCall(id);
  if (detail === undefined) {
    return message === undefined ? <Spinner label="Loading" /> : <Note tone="danger">{message}</Note>;
  }
  return (
    <>
      <Section title="Checks">
        <CheckList checks={detail.checks} />
      </Section>
      <Section title="Messages">
        <WireMessages wire={detail.wire} era={detail.summary.era} />
      </Section>
    </>
  );
}

/** The same call in both eras, side by side. */
export function WireComparison({ comparison }: { readonly comparison: Comparison }) {
  return (
    <div class="p-compare">
      <EraColumn era="legacy" id={comparison.legacy} />
      <EraColumn era="modern" id={comparison.modern} />
    </div>
  );
}

function EraColumn({ era, id }: { readonly era: Era; readonly id: string | undefined }) {
  const { summary } = useCall(id);
  return (
    <section class="p-compare__column" aria-label={`${ERA_LABELS[era]} era`}>
      <div class="p-compare__head">
        <h3>{ERA_LABELS[era]} era</h3>
        {summary?.revision !== undefined && <span class="t-quiet">{summary.revision}</span>}
        {summary !== undefined && <OutcomeBadge outcome={summary.outcome} />}
        {summary?.ms !== undefined && <span class="t-quiet">{formatDuration(summary.ms)}</span>}
        {id !== undefined && <RouteLink to={{ area: "calls", id }}>Open the call</RouteLink>}
      </div>
      {id === undefined ? (
        <EmptyState title={`The server does not support the ${era} era.`} icon="plug" />
      ) : (
        <CallWire id={id} />
      )}
    </section>
  );
}

const MAX_SHOWN = 100;

/** Properties of `WireMessages`. */
interface WireMessagesProps {
  readonly wire: readonly WireEntry[];
  /** Era of the call. Two lists of messages can be next to each other, and screen readers tell them apart by it. */
  readonly era: Era;
}

/** Shows messages in order. */
function WireMessages({ wire, era }: WireMessagesProps) {
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

/** Describes a message: the method of a request, or the kind of a response. */
export function describeMessage({ http, text }: Pick<WireEntry, "http" | "text">): string {
  const request = http?.method === undefined ? "" : `${toLabel(http.method, 20)} `;
  if (text === "") return http === undefined ? "Empty message" : `${request}(no body)`;
  const message = readJson(text);
  if (Array.isArray(message)) return `${request}batch of ${message.length}`;
  if (!isJsonObject(message)) return `${request}text`;
  const { method, id } = message;
  const suffix = typeof id === "string" || typeof id === "number" ? ` (ID ${toLabel(String(id), 40)})` : "";
  if (typeof method === "string") return `${request}${toLabel(method, 100)}${suffix}`;
  if (message["error"] !== undefined) return `${request}error${suffix}`;
  return `${request}${message["result"] === undefined ? "message" : "result"}${suffix}`;
}

/** Lists checks with their status. */
function CheckList({ checks }: { readonly checks: readonly Check[] }) {
  if (checks.length === 0) return <p class="t-quiet">No checks yet</p>;
  return (
    <ul class="p-checks">
      {checks.map(({ title, status, detail }, index) => {
        const { label, tone, icon } = CHECK_FACTS[status];
        return (
          <li key={index} class="p-check" data-tone={tone}>
            <Icon name={icon} label={label} />
            <div>
              <p>{title}</p>
              {detail !== undefined && <p class="t-quiet p-wrap">{detail}</p>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
