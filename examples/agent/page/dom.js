/**
 * @fileoverview Creates elements from names, attributes and text. Markup is never parsed, so untrusted text stays
 * text.
 * @module examples/agent/page/dom
 */

/** @typedef {Readonly<Record<string, string | boolean | undefined>>} Attributes */

/**
 * Creates an element. Attributes that are false or undefined are omitted, and true becomes an empty value.
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
 * Creates a button.
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
 * Returns the element with this id.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} with the id "${id}".`);
}

/**
 * Sets the children of an element, and touches only those that differ.
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
 * Replaces a list of links, and restores the keyboard focus.
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
