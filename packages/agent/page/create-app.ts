/**
 * @fileoverview Creates the parts of the page and connects them.
 * @module agent/page-app/create-app
 */
import { computed, effect, type Signal, signal, untracked } from "@preact/signals";
import { createToastStore, type ToastStore } from "@tenon/ui/components/overlay/toast-store.js";
import { createRouter, type Router } from "@tenon/ui/router.js";
import { setterOf } from "@tenon/ui/support/events.js";
import { browserTimer } from "@tenon/ui/support/timer.js";
import { createTheme } from "@tenon/ui/theme.js";
import type { App } from "./app-context.js";
import { formatRoute, parseRoute, type Route } from "./routes/route.js";
import { Conversations } from "./state/conversations.js";
import { createDrafts } from "./state/drafts.js";
import { Link } from "./state/link.js";
import { readPageConfig } from "./state/page-config.js";
import { createSession } from "./state/session.js";
import { describeFailure, toLabel } from "./state/text.js";

/** Creates the parts of a page. */
export function createApp(target: Window): App {
  const later = browserTimer.after;
  const config = readPageConfig(target.document);
  const toasts = createToastStore();
  const router = createRouter(target, { parseRoute, formatRoute });
  const openFailure = signal<string>();
  const isListOpen = signal(false);
  const link = new Link({
    url: toSocketUrl(target.location.href),
    later,
    onRemoved(taskId, reason) {
      if (router.route.peek().taskId === taskId) openFailure.value = `The conversation was ${reason}.`;
    },
    onNotice: ({ tone, text }) => toasts.show({ tone, text: toLabel(text, 500) }),
  });
  const conversations = new Conversations({ state: link.state, client: () => link.client, later });
  const task = computed(() => {
    const { taskId } = router.route.value;
    return taskId === undefined ? undefined : link.state.value.open.get(taskId);
  });
  const drafts = createDrafts(target.sessionStorage);
  // The session comes first, so that nothing is requested over a connection that it replaces.
  const session = createSession({
    link,
    config,
    storage: target.sessionStorage,
    later,
    onUserLeft() {
      drafts.clear();
      conversations.reset();
      router.replace({});
    },
  });
  loadOnConnect({ link, router, conversations, openFailure });
  return {
    config,
    link,
    conversations,
    router,
    toasts,
    task,
    openFailure,
    ...session,
    drafts,
    theme: createTheme({ root: target.document.documentElement, storage: target.localStorage }),
    canWrite: computed(() => link.state.value.user?.canWrite !== false && task.value?.canWrite !== false),
    isListOpen,
    showList: setterOf(isListOpen),
    attempt: createAttempt(toasts),
  };
}

/** The server accepts WebSocket connections on the port of the page. */
function toSocketUrl(page: string): string {
  const url = new URL("./", page);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.search = "";
  url.hash = "";
  return url.href;
}

interface Loading {
  readonly link: Link;
  readonly router: Router<Route>;
  readonly conversations: Conversations;
  readonly openFailure: Signal<string | undefined>;
}

/** After each connection, opens the selected task if it could not be opened before, and loads the list. */
function loadOnConnect({ link, router, conversations, openFailure }: Loading): void {
  const isOpen = computed(() => link.state.value.connection === "open");
  effect(() => {
    const { taskId } = router.route.value;
    openFailure.value = undefined;
    if (taskId === undefined || !isOpen.value) return;
    // A task that this page has just created is open already.
    if (link.client.state.open.has(taskId)) return;
    link.client.open(taskId).catch((error: unknown) => {
      if (router.route.peek().taskId === taskId) openFailure.value = describeFailure(error);
    });
  });
  effect(() => {
    if (isOpen.value) untracked(() => conversations.refresh());
  });
}

function createAttempt(toasts: ToastStore): App["attempt"] {
  return async (request) => {
    try {
      await request;
      return true;
    } catch (error) {
      toasts.show({ tone: "danger", text: describeFailure(error) });
      return false;
    }
  };
}
