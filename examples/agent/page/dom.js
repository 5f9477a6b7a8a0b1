/**
 * @fileoverview Elements, made of names, attributes and text. Markup is never parsed, so text from anywhere stays text.
 * @module examples/agent/page/dom
 */

/** @typedef {Readonly<Record<string, string | boolean | undefined>>} Attributes */

/**
 * Makes an element. An attribute that is false or undefined is left out; one that is true is empty.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/**
 * Makes a button.
 * @param {string} label
 * @param {() => void} onClick
 * @param {Attributes} attributes
 */
export function button(label, onClick, attributes = {}) {
  const element = h("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", onClick);
  return element;
}

/**
 * The element of the page that has this id.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} #${id}`);
}

/**
 * Makes the children of an element these, and touches only what differs.
 * @param {Element} parent
 * @param {readonly Element[]} children
 */
export function setChildren(parent, children) {
  const wanted = new Set(children);
  for (const child of Array.from(parent.children)) if (!wanted.has(child)) child.remove();
  for (const [index, child] of children.entries()) {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  }
}

/**
 * Fills a list of links anew; whoever stood on one of them with the keyboard stands on it again.
 * @param {Element} parent
 * @param {readonly Element[]} children
 */
export function replaceLinks(parent, children) {
  const at = parent.contains(document.activeElement)
    ? document.activeElement?.getAttribute("href")
    : undefined;
  parent.replaceChildren(...children);
  if (typeof at !== "string") return;
  const same = [...parent.querySelectorAll("a")].find((link) => link.getAttribute("href") === at);
  same?.focus({ preventScroll: true });
}
