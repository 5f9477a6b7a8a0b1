/**
 * @fileoverview Shows the list of conversations as a drawer on narrow screens.
 * @module examples/agent/page/sidebar
 */
import { byId } from "./dom.js";

/**
 * Sets up the drawer. `close` returns true if the drawer was open.
 * @returns {{ close: () => boolean }}
 */
export function createSidebar() {
  const sidebar = byId("sidebar", HTMLElement);
  const menu = byId("menu", HTMLButtonElement);
  const shade = byId("shade", HTMLButtonElement);
  const room = byId("room", HTMLElement);
  const narrow = matchMedia("(max-width: 52rem)");
  let isOpen = false;

  const show = () => {
    sidebar.classList.toggle("open", isOpen);
    // While the drawer is closed, the keyboard must not reach its links.
    sidebar.inert = narrow.matches && !isOpen;
    room.inert = narrow.matches && isOpen;
    shade.hidden = !isOpen || !narrow.matches;
    menu.setAttribute("aria-expanded", String(isOpen));
  };
  const set = (/** @type {boolean} */ next) => {
    if (next === isOpen) return false;
    isOpen = next;
    show();
    if (narrow.matches) (isOpen ? byId("new", HTMLButtonElement) : menu).focus();
    return true;
  };
  menu.addEventListener("click", () => set(!isOpen));
  shade.addEventListener("click", () => set(false));
  narrow.addEventListener("change", () => {
    isOpen = false;
    show();
  });
  show();
  return { close: () => set(false) };
}
