/**
 * @fileoverview Places on the page, as the hash of its URL: `#/tools/forecast/wire`. Reloading and the back button keep the
 * place.
 * @module cli/page-app/routes/route
 */

/** Areas of the page, in the order of the navigation. */
export const AREAS = ["tools", "resources", "prompts", "calls", "questions", "activity", "log"] as const;

/** Area of the page. */
export type Area = (typeof AREAS)[number];

/** Place on the page. */
export interface Route {
  readonly area: Area;
  /** Selected entry: the key of a tool, a URI, the name of a prompt, or the ID of a call or a question. */
  readonly id?: string | undefined;
  /** Selected tab of the entry. */
  readonly tab?: string | undefined;
}

/** Reads a hash. An unknown place is the start page. */
export function parseRoute(hash: string): Route {
  const [area = "", id, tab] = hash.replace(/^#?\/?/, "").split("/", 3);
  const known = AREAS.find((one) => one === area);
  if (known === undefined) return { area: "tools" };
  return { area: known, id: decodePart(id), tab: decodePart(tab) };
}

/** Returns the hash of a place. */
export function formatRoute({ area, id, tab }: Route): string {
  const parts = [area, ...(id === undefined ? [] : [id, ...(tab === undefined ? [] : [tab])])];
  return `#/${parts.map(encodePart).join("/")}`;
}

/** Encodes a text of a server. Lone surrogates, which URLs cannot contain, become `%u` and their code. */
function encodePart(text: string): string {
  return text
    .split(/(\p{Surrogate})/u)
    .map((part, index) =>
      index % 2 === 1 ? `%u${part.charCodeAt(0).toString(16)}` : encodeURIComponent(part),
    )
    .join("");
}

function decodePart(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    return text
      .split(/%u([0-9a-f]{4})/)
      .map((part, index) =>
        index % 2 === 1 ? String.fromCharCode(Number.parseInt(part, 16)) : decodeURIComponent(part),
      )
      .join("");
  } catch {
    // The user has changed the URL by hand.
    return undefined;
  }
}
