/**
 * @fileoverview Creates elements from names, attributes, and text. It never parses markup, so untrusted text cannot
 * inject elements.
 * @module examples/agent/page/dom
 */

/** @typedef {Readonly<Record<string, string | boolean | undefined>>} Attributes */

/**
 * Creates an element. Attributes that are `false` or `undefined` are omitted. `true` becomes an empty value.
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
 * Creates a button with a text label and a click handler.
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
 * Returns the element with an ID. Throws if it is missing or has the wrong type.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page must contain an ${kind.name} with the ID "${id}".`);
}

/**
 * Sets an element's children. Children that are already in place stay untouched.
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
 * Replaces a list of links and restores the keyboard focus.
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
