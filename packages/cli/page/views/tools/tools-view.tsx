/**
 * @fileoverview Area with the tools: a tree, and the selected tool.
 * @module cli/page-app/views/tools/tools-view
 */
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { useEffect } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { useSetting } from "../../components/hooks.js";
import { AreaSplit } from "../../components/list-pane.js";
import { LAST_TOOL } from "../../state/settings.js";
import type { ToolItem } from "../../state/tools/tool-item.js";
import { ToolDetail } from "./tool-detail.js";
import { ToolList } from "./tool-list.js";

/** Area with the tools. */
export function ToolsView() {
  const { catalog, router } = useApp();
  const { id } = router.route.value;
  const tools = catalog.tools.value;
  const last = useSetting(LAST_TOOL);
  useEffect(() => {
    if (id !== undefined) last.value = id;
  }, [id]);
  if (tools.length === 0) return <NoTools />;
  const selected = findSelected(tools, id, last.value);
  return (
    <AreaSplit
      area="tools"
      noun="tools"
      list={<ToolList selected={selected} />}
      detail={
        selected === undefined ? (
          <EmptyState title="The server does not have this tool" icon="tool">
            <p>It may have been renamed or removed. Select another tool from the list.</p>
          </EmptyState>
        ) : (
          <ToolDetail key={selected.key} tool={selected} />
        )
      }
    />
  );
}

/** Finds the selected tool: the one of the URL, or the last one, or the first one. */
function findSelected(
  tools: readonly ToolItem[],
  id: string | undefined,
  last: string,
): ToolItem | undefined {
  if (id !== undefined) return tools.find(({ key }) => key === id);
  return tools.find(({ key }) => key === last) ?? tools[0];
}

const EXAMPLE = `import { defineServer } from "tenon";

export default defineServer({ name: "my-server", version: "1.0.0" })
  .tool("hello", {
    description: "Says hello.",
    handler: () => "Hello!",
  })
  .build();`;

function NoTools() {
  const isDev = useApp().store.launch.value?.mode === "dev";
  return (
    <EmptyState title="The server has no tools" icon="tool">
      {isDev ? (
        <>
          <p>Add one to your code and save the file. It appears here immediately.</p>
          <CodeBlock text={EXAMPLE} label="Example" language="TypeScript" />
        </>
      ) : (
        <p>It may offer resources or prompts. Look at the other areas.</p>
      )}
    </EmptyState>
  );
}
