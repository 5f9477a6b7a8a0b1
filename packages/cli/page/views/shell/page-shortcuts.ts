/**
 * @fileoverview Shortcuts that work everywhere on the page.
 * @module cli/page-app/views/shell/page-shortcuts
 */
import { useEffect } from "preact/hooks";
import { type App, useApp } from "../../app-context.js";
import { type Area, AREAS } from "../../routes/route.js";
import { ERA } from "../../state/settings.js";
import { AREA_FACTS } from "./areas.js";

/** Adds the shortcuts that work everywhere. */
export function usePageShortcuts(onHelp: () => void): void {
  const app = useApp();
  useEffect(() => {
    const remove = [
      app.shortcuts.add({ keys: "?", title: "Show the shortcuts", run: onHelp }),
      app.shortcuts.add({ keys: "s t", title: "Switch the theme", run: app.theme.toggle }),
      app.shortcuts.add({ keys: "s e", title: "Switch the era", run: () => switchEra(app) }),
      ...AREAS.map((area) =>
        app.shortcuts.add({
          keys: `g ${AREA_FACTS[area].key}`,
          title: AREA_FACTS[area].title,
          group: "Go to",
          run: () => goTo(app, area),
        }),
      ),
    ];
    return () => remove.forEach((one) => one());
  }, [app]);
}

/** Goes to an area, and moves the focus to its content, so that the Tab key continues there. */
function goTo({ router }: App, area: Area): void {
  router.go({ area });
  requestAnimationFrame(() => document.getElementById("main")?.focus());
}

function switchEra({ memory, eras, era }: App): void {
  const other = eras.peek().find((one) => one !== era.peek());
  if (other !== undefined) memory.signal(ERA).value = other;
}
