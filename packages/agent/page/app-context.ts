/**
 * @fileoverview Parts of the page that its components share.
 * @module agent/page-app/app-context
 */
import type { ReadonlySignal } from "@preact/signals";
import type { TaskState } from "@tenon/agent/client";
import type { ToastStore } from "@tenon/ui/components/overlay/toast-store.js";
import type { Router } from "@tenon/ui/router.js";
import { createPageContext } from "@tenon/ui/support/page.js";
import type { Theme } from "@tenon/ui/theme.js";
import type { PageConfig } from "../src/page/page-config.js";
import type { Route } from "./routes/route.js";
import type { Conversations } from "./state/conversations.js";
import type { Drafts } from "./state/drafts.js";
import type { Link } from "./state/link.js";
import type { Session } from "./state/session.js";

/** Parts of the page. */
export interface App extends Session {
  readonly config: PageConfig;
  readonly link: Link;
  readonly conversations: Conversations;
  readonly router: Router<Route>;
  readonly drafts: Drafts;
  readonly toasts: ToastStore;
  readonly theme: Theme;
  /** Task that is shown. Absent for a new conversation, and until the task is opened. */
  readonly task: ReadonlySignal<TaskState | undefined>;
  /** Reason why the selected task cannot be shown. */
  readonly openFailure: ReadonlySignal<string | undefined>;
  /** True if the user may write, in general and in the shown task. */
  readonly canWrite: ReadonlySignal<boolean>;
  /** True if the list of conversations is open on a narrow screen. */
  readonly isListOpen: ReadonlySignal<boolean>;
  /** Opens or closes the list of conversations. */
  readonly showList: (isOpen: boolean) => void;
  /** Waits for a request. Shows a message and returns false if it fails. */
  readonly attempt: (request: Promise<unknown>) => Promise<boolean>;
}

/** Context with the parts of the page. */
export const { AppContext, useApp } = createPageContext<App>();
