/**
 * @fileoverview Layout of the page: the list of conversations, and the selected conversation with its input.
 * @module agent/page-app/app
 */
import { Loading } from "@tenon/ui/components/layout/loading.js";
import { SkipLink } from "@tenon/ui/components/layout/skip-link.js";
import { ToastRegion } from "@tenon/ui/components/overlay/toast-region.js";
import { useDocumentTitle } from "@tenon/ui/support/page.js";
import { useApp } from "./app-context.js";
import { useMedia, useTaskTitle } from "./components/hooks.js";
import { toLabel } from "./state/text.js";
import { ConversationView } from "./views/conversation/conversation-view.js";
import { Announcer } from "./views/shell/announcer.js";
import { Banners } from "./views/shell/banners.js";
import { Sidebar } from "./views/shell/sidebar.js";
import { SignIn } from "./views/shell/sign-in.js";
import { TopBar } from "./views/shell/top-bar.js";

/** The whole page. */
export function Page() {
  const { toasts, needsSignIn, isConnecting } = useApp();
  usePageTitle();
  return (
    <>
      {needsSignIn.value ? <SignIn /> : isConnecting.value ? <Connecting /> : <Chat />}
      <ToastRegion store={toasts} />
    </>
  );
}

/** Shown until the server accepts the first connection. */
function Connecting() {
  return (
    <main>
      <Loading text="Connecting…" />
    </main>
  );
}

const NARROW = "(max-width: 52rem)";

function Chat() {
  const { isListOpen } = useApp();
  const isNarrow = useMedia(NARROW);
  // The drawer covers the conversation, so that the keyboard and screen readers must stay in the drawer.
  const isCovered = isNarrow && isListOpen.value;
  return (
    <div class="a-page">
      <SkipLink isInert={isCovered}>Skip to the conversation</SkipLink>
      <Sidebar isNarrow={isNarrow} />
      <div class="a-body" inert={isCovered}>
        <TopBar />
        <Banners />
        <main id="main" class="a-main" tabIndex={-1} aria-label="Conversation">
          <ConversationView />
        </main>
      </div>
      <Announcer />
    </div>
  );
}

/** Shows the conversation, and the number of calls that wait for a decision, in the title of the tab. */
function usePageTitle(): void {
  const { config, task } = useApp();
  const name = useTaskTitle();
  const place = name === "" ? config.title : `${toLabel(name, 60)} – ${config.title}`;
  useDocumentTitle(place, task.value?.approvals.length ?? 0);
}
