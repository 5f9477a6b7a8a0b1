/**
 * @fileoverview Parts of the page that its components share.
 * @module cli/page-app/app-context
 */
import type { ReadonlySignal, Signal } from "@preact/signals";
import type { ToastStore } from "@tenon/ui/components/overlay/toast-store.js";
import type { ShortcutRegistry } from "@tenon/ui/keys.js";
import type { Router } from "@tenon/ui/router.js";
import { createPageContext } from "@tenon/ui/support/page.js";
import type { Theme } from "@tenon/ui/theme.js";
import type { Era } from "tenon/protocol";
import type { CommandName, Commands } from "../src/page/protocol.js";
import type { BackendLink } from "./backend/backend-link.js";
import type { CallDetails } from "./backend/call-details.js";
import type { CommandClient } from "./backend/commands.js";
import type { Route } from "./routes/route.js";
import type { Catalog } from "./state/catalog/catalog.js";
import type { QuestionDrafts } from "./state/forms/question-drafts.js";
import type { ToolForms } from "./state/forms/tool-forms.js";
import type { Memory } from "./state/memory.js";
import type { PageStore } from "./state/page-store.js";

/** Calls in both eras, to compare their messages. */
export type Comparison = Commands["compare"][1];

/** Parts of the page. */
export interface App {
  readonly store: PageStore;
  readonly catalog: Catalog;
  readonly link: BackendLink;
  readonly commands: CommandClient;
  readonly details: CallDetails;
  readonly router: Router<Route>;
  readonly memory: Memory;
  readonly forms: ToolForms;
  readonly questionDrafts: QuestionDrafts;
  readonly toasts: ToastStore;
  readonly shortcuts: ShortcutRegistry;
  readonly theme: Theme;
  readonly isMac: boolean;
  /** Eras that the server supports, newest first. */
  readonly eras: ReadonlySignal<readonly Era[]>;
  /** Era of the next call. */
  readonly era: ReadonlySignal<Era>;
  /** Calls that the tabs of tools, resources, and prompts show, by area and key. */
  readonly shownCalls: Signal<ReadonlyMap<string, string>>;
  /** Last comparison of each tool, by key. */
  readonly comparisons: Signal<ReadonlyMap<string, Comparison>>;
  /** Runs a command. Shows a message and returns `undefined` if it fails. */
  readonly attempt: <Name extends CommandName>(
    name: Name,
    params: Commands[Name][0],
  ) => Promise<Commands[Name][1] | undefined>;
}

/** Context with the parts of the page. */
export const { AppContext, useApp } = createPageContext<App>();
