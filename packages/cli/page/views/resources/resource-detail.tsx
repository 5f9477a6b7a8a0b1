/**
 * @fileoverview Selected resource: reads it, and subscribes to its changes.
 * @module cli/page-app/views/resources/resource-detail
 */
import { Badge, Note } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { CopyButton } from "@tenon/ui/components/controls/copy-button.js";
import { Switch } from "@tenon/ui/components/fields/checkbox.js";
import { formatBytes, formatClock } from "@tenon/ui/support/format.js";
import { useApp } from "../../app-context.js";
import { ChangeBadge } from "../../components/badges.js";
import { EntryDetail } from "../call/catalog-entry.js";
import type { ResourceItem } from "../../state/catalog/definitions.js";
import { toLabel } from "../../state/text.js";
import { ReadingResult, useIsUpdated, useReading } from "./use-resource.js";

/** Properties of `ResourceDetail`. */
export interface ResourceDetailProps {
  readonly uri: string;
  /** Absent if the server does not list the resource. */
  readonly item: ResourceItem | undefined;
}

/** Selected resource. */
export function ResourceDetail({ uri, item }: ResourceDetailProps) {
  const reading = useReading(uri);
  const isUpdated = useIsUpdated(uri);
  return (
    <EntryDetail
      item={item}
      title={item?.label ?? toLabel(uri)}
      badges={
        <>
          {item?.mediaType !== undefined && <Badge>{toLabel(item.mediaType, 60)}</Badge>}
          {item?.size !== undefined && <Badge>{formatBytes(item.size)}</Badge>}
          <ChangeBadge change={item?.change} />
        </>
      }
      uri={
        <>
          <code class="p-wrap">{toLabel(uri, 2_000)}</code> <CopyButton text={uri} label="Copy the URI" />
        </>
      }
      controls={
        <>
          {item === undefined && (
            <p class="t-quiet">The server does not list this resource, but it may be readable.</p>
          )}
          <div class="p-call__buttons">
            <Button tone="primary" icon="play" isBusy={reading.isStarting} onClick={() => reading.read(uri)}>
              {reading.shown.summary === undefined ? "Read" : "Read again"}
            </Button>
            <SubscribeSwitch uri={uri} />
          </div>
          {isUpdated && <UpdatedNote uri={uri} />}
        </>
      }
    >
      <ReadingResult shown={reading.shown} />
    </EntryDetail>
  );
}

function SubscribeSwitch({ uri }: { readonly uri: string }) {
  const { catalog, store, attempt } = useApp();
  if (!catalog.hasCapability("resources.subscribe")) return null;
  return (
    <Switch
      label="Tell me about changes"
      isChecked={store.subscriptions.value.includes(uri)}
      onChange={(isOn) => void attempt("subscribe", { uri, isOn })}
    />
  );
}

function UpdatedNote({ uri }: { readonly uri: string }) {
  const at = useApp().store.updates.value.get(uri);
  return (
    <Note tone="info" isLive>
      The resource was updated{at === undefined ? "" : ` at ${formatClock(at).slice(0, 8)}`}. Read it again to
      see the change.
    </Note>
  );
}
