/**
 * @fileoverview Area with the resources and resource templates.
 * @module cli/page-app/views/resources/resources-view
 */
import { Badge } from "@tenon/ui/components/controls/badge.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { useApp } from "../../app-context.js";
import { ChangeBadge } from "../../components/badges.js";
import { CatalogList } from "../call/catalog-entry.js";
import { AreaSplit } from "../../components/list-pane.js";
import type { ResourceItem } from "../../state/catalog/definitions.js";
import { toLabel } from "../../state/text.js";
import { ResourceDetail } from "./resource-detail.js";
import { TemplateDetail } from "./template-detail.js";
import { useIsUpdated } from "./use-resource.js";

/** Area with the resources. */
export function ResourcesView() {
  const { catalog, router } = useApp();
  const items = catalog.resources.value;
  const { id } = router.route.value;
  const selected = id === undefined ? items[0] : items.find(({ key }) => key === id);
  if (items.length === 0 && id === undefined) {
    return (
      <EmptyState title="The server has no resources" icon="database">
        <p>Resources are data that a client can read, such as files or records.</p>
      </EmptyState>
    );
  }
  return (
    <AreaSplit
      area="resources"
      noun="resources"
      list={
        <CatalogList
          area="resources"
          label="Resources"
          noun="resource"
          items={items}
          selected={selected?.key}
          renderItem={(item) => <ResourceRow item={item} />}
        />
      }
      detail={<SelectedResource item={selected} uri={id} />}
    />
  );
}

/** Shows the selected entry. A URI that is not in the list can come from a link in a result. */
function SelectedResource({
  item,
  uri,
}: {
  readonly item: ResourceItem | undefined;
  readonly uri: string | undefined;
}) {
  if (item?.kind === "template") return <TemplateDetail key={item.key} item={item} />;
  if (item !== undefined) return <ResourceDetail key={item.key} uri={item.uri} item={item} />;
  return uri === undefined ? null : <ResourceDetail key={uri} uri={uri} item={undefined} />;
}

function ResourceRow({ item }: { readonly item: ResourceItem }) {
  const isUpdated = useIsUpdated(item.uri);
  return (
    <>
      <Icon
        name={item.kind === "template" ? "branch" : "file"}
        label={item.kind === "template" ? "Template" : undefined}
      />
      <span class="p-two-lines">
        <span class="t-row__text">{item.label}</span>
        <span class="t-row__text t-quiet t-mono">{toLabel(item.uri)}</span>
      </span>
      <span class="t-row__end">
        {isUpdated && (
          <Badge tone="info" icon>
            updated
          </Badge>
        )}
        <ChangeBadge change={item.change} />
      </span>
    </>
  );
}
