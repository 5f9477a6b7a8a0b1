/**
 * @fileoverview Dialog with the facts about the server: instructions, capabilities, and findings.
 * @module cli/page-app/views/shell/server-dialog
 */
import { KeyValueList } from "@tenon/ui/components/data/key-value.js";
import { Dialog } from "@tenon/ui/components/overlay/dialog.js";
import { JsonView } from "@tenon/ui/json/json-view.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import type { ServerState } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { FindingList } from "../../components/badges.js";
import { Section, TextSection } from "../../components/list-pane.js";
import { toLabel } from "../../state/text.js";

/** Properties of `ServerDialog`. */
export interface ServerDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Dialog with the facts about the server. */
export function ServerDialog({ isOpen, onClose }: ServerDialogProps) {
  const { store } = useApp();
  const server = store.server.value;
  const launch = store.launch.value;
  const { revisions } = store.connection.value;
  if (server === undefined) return null;
  return (
    <Dialog title={toLabel(server.title ?? server.name)} isOpen={isOpen} onClose={onClose}>
      <div class="p-server">
        <KeyValueList
          entries={[
            { name: "Name", value: toLabel(server.name), isMono: true },
            { name: "Version", value: toLabel(server.version, 60), isMono: true },
            { name: "Target", value: toLabel(launch?.target ?? "", 500), isMono: true },
            ...(launch?.endpoint === undefined
              ? []
              : [{ name: "Endpoint for clients", value: toLabel(launch.endpoint, 500), isMono: true }]),
            { name: "Revisions", value: Object.values(revisions).join(", "), isMono: true },
            { name: "Tenon", value: launch?.version ?? "", isMono: true },
          ]}
        />
        <ServerFacts server={server} />
      </div>
    </Dialog>
  );
}

function ServerFacts({ server }: { readonly server: ServerState }) {
  const isCounting = useApp().store.launch.value?.countsTokens !== false;
  return (
    <>
      <Section title="Findings that do not belong to a tool">
        <FindingList findings={server.findings} />
      </Section>
      <Section title="Views">
        <KeyValueList
          entries={server.views.map(({ title, toolCount, tokens }) => ({
            name: toLabel(title, 60),
            value: [
              formatQuantity(toolCount, "tool"),
              tokens === undefined ? isCounting && "counting tokens…" : formatQuantity(tokens, "token"),
            ]
              .filter((text) => text !== false)
              .join(", "),
          }))}
        />
      </Section>
      <TextSection title="Instructions" text={server.instructions ?? ""} empty="No instructions" isWrapped />
      <Section title="Capabilities">
        <JsonView label="Capabilities" value={server.capabilities} />
      </Section>
    </>
  );
}
