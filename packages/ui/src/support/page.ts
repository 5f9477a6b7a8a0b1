/**
 * @fileoverview Parts of a page that are not visible: its context, its title, and texts of errors.
 * @module ui/support/page
 */
import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";

/** Creates the context with the parts of a page, and a hook that returns them. */
export function createPageContext<App>() {
  const AppContext = createContext<App | undefined>(undefined);
  return {
    AppContext,
    useApp: (): App => {
      const app = useContext(AppContext);
      if (app === undefined) throw new Error("Components of the page must be inside an `AppContext`.");
      return app;
    },
  };
}

/** Sets the title of the page, with the number of things that wait for the user. */
export function useDocumentTitle(title: string, waiting: number): void {
  const text = waiting > 0 ? `(${waiting}) ${title}` : title;
  useEffect(() => {
    document.title = text;
  }, [text]);
}
