/**
 * @fileoverview Layout of the page: the top bar, the navigation, the selected area, and the panel with questions.
 * @module cli/page-app/app
 */
import { Loading } from "@tenon/ui/components/layout/loading.js";
import { SkipLink } from "@tenon/ui/components/layout/skip-link.js";
import { ShortcutHelp } from "@tenon/ui/components/overlay/shortcut-help.js";
import { ToastRegion } from "@tenon/ui/components/overlay/toast-region.js";
import { useDocumentTitle } from "@tenon/ui/support/page.js";
import type { ComponentChildren, FunctionComponent } from "preact";
import { useCallback, useState } from "preact/hooks";
import { useApp } from "./app-context.js";
import type { Area } from "./routes/route.js";
import { toLabel } from "./state/text.js";
import { ActivityView } from "./views/activity/activity-view.js";
import { CallsView } from "./views/calls/calls-view.js";
import { LogView } from "./views/log/log-view.js";
import { PromptsView } from "./views/prompts/prompts-view.js";
import { QuestionPanel, QuestionsView } from "./views/questions/questions-view.js";
import { ResourcesView } from "./views/resources/resources-view.js";
import { AREA_FACTS, Navigation, usePageShortcuts } from "./views/shell/navigation.js";
import { Banners } from "./views/shell/banners.js";
import { ServerDialog } from "./views/shell/server-dialog.js";
import { TopBar } from "./views/shell/top-bar.js";
import { ToolsView } from "./views/tools/tools-view.js";

const VIEWS: Readonly<Record<Area, FunctionComponent>> = {
  tools: ToolsView,
  resources: ResourcesView,
  prompts: PromptsView,
  calls: CallsView,
  questions: QuestionsView,
  activity: ActivityView,
  log: LogView,
};

/** The whole page. */
export function Page() {
  const { toasts, shortcuts, isMac, router } = useApp();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [isServerOpen, setIsServerOpen] = useState(false);
  const openHelp = useCallback(() => setIsHelpOpen(true), []);
  usePageShortcuts(openHelp);
  usePageTitle();
  const { area } = router.route.value;
  const View = VIEWS[area];
  return (
    <div class="p-page">
      <SkipLink>Skip to the content</SkipLink>
      <TopBar onHelp={openHelp} onServer={() => setIsServerOpen(true)} />
      <Navigation />
      <div class="p-body">
        <main id="main" class="p-main" tabIndex={-1} aria-label={AREA_FACTS[area].title}>
          <Banners />
          <div class="p-view">
            <WhenReady area={area}>{() => <View />}</WhenReady>
          </div>
        </main>
        <QuestionPanel />
      </div>
      <ToastRegion store={toasts} />
      <ServerDialog isOpen={isServerOpen} onClose={() => setIsServerOpen(false)} />
      <ShortcutHelp
        registry={shortcuts}
        isMac={isMac}
        isOpen={isHelpOpen}
        onClose={() => setIsHelpOpen(false)}
      />
    </div>
  );
}

/** Areas that need the definitions of the server. */
const NEEDS_SERVER: ReadonlySet<Area> = new Set(["tools", "resources", "prompts"]);

/** Shows an area once its content has arrived. */
function WhenReady({ area, children }: { readonly area: Area; readonly children: () => ComponentChildren }) {
  const { store, link } = useApp();
  const isMissing = NEEDS_SERVER.has(area)
    ? store.server.value === undefined
    : store.launch.value === undefined;
  if (!isMissing) return <>{children()}</>;
  const isWaiting = link.state.value.status !== "denied" && store.connection.value.status === "connecting";
  if (!isWaiting) return null;
  return <Loading text={store.launch.value === undefined ? "Loading…" : "Connecting to the server…"} />;
}

/** Shows the area and the server in the title of the page, and how many questions are open. */
function usePageTitle(): void {
  const { store, router } = useApp();
  const server = store.server.value;
  const name = server === undefined ? "Tenon" : toLabel(server.title ?? server.name, 60);
  useDocumentTitle(`${AREA_FACTS[router.route.value.area].title} – ${name}`, store.questions.value.size);
}
