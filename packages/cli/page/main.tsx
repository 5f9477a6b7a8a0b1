/**
 * @fileoverview Entry point of the development page.
 * @module cli/page-app/main
 */
import { listenForShortcuts } from "@tenon/ui/keys.js";
import { render } from "preact";
import { AppContext } from "./app-context.js";
import { Page } from "./app.js";
import { createApp } from "./create-app.js";

const SAMPLE_MS = 1_000;
const TICK_MS = 250;

const root = document.getElementById("app");
if (root !== null) start(root);

function start(element: HTMLElement): void {
  const app = createApp(window);
  const { store, link, memory } = app;
  element.replaceChildren();
  render(
    <AppContext.Provider value={app}>
      <Page />
    </AppContext.Provider>,
    element,
  );
  listenForShortcuts(app.shortcuts, window);
  setInterval(() => store.sample(), SAMPLE_MS);
  setInterval(() => store.tick(Date.now()), TICK_MS);
  window.addEventListener("pagehide", () => memory.save());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") link.retry();
  });
  void link.start();
}
