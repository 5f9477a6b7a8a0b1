/**
 * @fileoverview Entry point of the page.
 * @module agent/page-app/main
 */
import { render } from "preact";
import { AppContext } from "./app-context.js";
import { Page } from "./app.js";
import { createApp } from "./create-app.js";

const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(
    <AppContext.Provider value={createApp(window)}>
      <Page />
    </AppContext.Provider>,
    root,
  );
}
