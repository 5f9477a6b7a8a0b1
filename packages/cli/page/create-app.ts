/**
 * @fileoverview Creates the parts of the page and connects them.
 * @module cli/page-app/create-app
 */
import { computed, effect, signal } from "@preact/signals";
import { createToastStore } from "@tenon/ui/components/overlay/toast-store.js";
import { createShortcuts } from "@tenon/ui/keys.js";
import { createRouter } from "@tenon/ui/router.js";
import { browserTimer } from "@tenon/ui/support/timer.js";
import { createTheme } from "@tenon/ui/theme.js";
import type { Era } from "tenon/protocol";
import type { PageEvent } from "../src/page/protocol.js";
import type { App, Comparison } from "./app-context.js";
import { BackendLink, type LinkOptions } from "./backend/backend-link.js";
import { CallDetails } from "./backend/call-details.js";
import { createCommandClient, type CommandClient } from "./backend/commands.js";
import { describeFailure, type Fetch } from "./backend/requests.js";
import { formatRoute, parseRoute } from "./routes/route.js";
import { createCatalog } from "./state/catalog/catalog.js";
import { DRAFTS } from "./state/forms/drafts.js";
import { QuestionDrafts, ROOTS } from "./state/forms/question-drafts.js";
import { ToolForms } from "./state/forms/tool-forms.js";
import { Memory } from "./state/memory.js";
import { createPageStore, type PageStore } from "./state/page-store.js";
import { CHARACTER_KEYS, ERA } from "./state/settings.js";

/** Events that arrive within this time are applied together, in one render. */
const BATCH_MS = 16;

/** Creates the parts of a page. */
export function createApp(target: Window): App {
  const fetch: Fetch = (url, init) => target.fetch(url, init);
  const timer = browserTimer;
  const commands = createCommandClient(fetch);
  const details = new CallDetails(commands, timer);
  const shownCalls = signal<ReadonlyMap<string, string>>(new Map());
  const comparisons = signal<ReadonlyMap<string, Comparison>>(new Map());
  const store = createPageStore({
    onLaunch() {
      details.clear();
      shownCalls.value = new Map();
      comparisons.value = new Map();
    },
  });
  const memory = new Memory({ storage: target.sessionStorage, timer });
  const toasts = createToastStore();
  const isMac = /mac|iphone|ipad/i.test(target.navigator.platform);
  const questionDrafts = new QuestionDrafts(memory.signal(ROOTS));
  effect(() => questionDrafts.keepOnly(store.questions.value));
  return {
    store,
    commands,
    details,
    memory,
    toasts,
    isMac,
    questionDrafts,
    shownCalls,
    comparisons,
    catalog: createCatalog(store.server),
    link: createLink({ fetch, timer }, store),
    router: createRouter(target, { parseRoute, formatRoute }),
    forms: new ToolForms(memory.signal(DRAFTS)),
    shortcuts: createShortcuts({ isMac, hasCharacterKeys: memory.signal(CHARACTER_KEYS) }),
    theme: createTheme({ root: target.document.documentElement, storage: target.localStorage }),
    ...createEras(store, memory),
    attempt: createAttempt(commands, (text) => toasts.show({ tone: "danger", text })),
  };
}

function createLink({ fetch, timer }: Pick<LinkOptions, "fetch" | "timer">, store: PageStore) {
  let waiting: PageEvent[] = [];
  const flush = () => {
    const events = waiting;
    waiting = [];
    store.apply(events);
  };
  return new BackendLink({
    fetch,
    timer,
    onOpen() {
      waiting = [];
      store.begin();
    },
    onEvents(events) {
      if (events.length === 0) return;
      if (waiting.length === 0) timer.after(BATCH_MS, flush);
      waiting.push(...events);
    },
  });
}

function createEras(store: PageStore, memory: Memory): Pick<App, "eras" | "era"> {
  const preferred = memory.signal(ERA);
  const eras = computed((): readonly Era[] => {
    const { revisions } = store.connection.value;
    return (["modern", "legacy"] as const).filter((era) => revisions[era] !== undefined);
  });
  const era = computed((): Era => {
    const wanted = preferred.value;
    if (wanted !== "newest" && eras.value.includes(wanted)) return wanted;
    return eras.value[0] ?? "modern";
  });
  return { eras, era };
}

function createAttempt(commands: CommandClient, onFailure: (text: string) => void): App["attempt"] {
  return async (name, params) => {
    try {
      return await commands.run(name, params);
    } catch (error) {
      onFailure(describeFailure(error));
      return undefined;
    }
  };
}
