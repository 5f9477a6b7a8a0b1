/**
 * @fileoverview Accessibility checks, as expressions that the browser evaluates in the page.
 * @module tests/agent/page/audit
 */

/** Finds controls without an accessible name. */
export const NAMELESS = `[...document.querySelectorAll("a, button, input, textarea, select, summary, [tabindex='0'], section, nav, main, aside")]
  .filter((element) => element.checkVisibility())
  .filter((element) => {
    const labels = [...(element.labels ?? [])].map((label) => label.textContent).join("");
    const isRegion = ["SECTION", "NAV", "MAIN", "ASIDE"].includes(element.tagName);
    const own = isRegion ? "" : element.textContent;
    return ((element.getAttribute("aria-label") ?? "") + labels + own).trim() === "";
  })
  .map((element) => element.outerHTML.slice(0, 100))`;

/** Finds text with a contrast ratio below 4.5:1 (WCAG AA), and returns the ratio with it. */
export const FAINT = `(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const read = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return { rgb: [r, g, b], alpha: a / 255 };
  };
  const over = (top, bottom) => top.rgb.map((value, at) => value * top.alpha + bottom[at] * (1 - top.alpha));
  const ground = (element) => {
    if (element === null) return [255, 255, 255];
    const color = read(getComputedStyle(element).backgroundColor);
    return color.alpha === 1 ? color.rgb : over(color, ground(element.parentElement));
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("").trim();
    const style = getComputedStyle(element);
    if (text === "" || !element.checkVisibility() || element.matches(":disabled") || style.fontSize === "0px") continue;
    const below = ground(element);
    const [a, b] = [light(over(read(style.color), below)), light(below)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(text.slice(0, 40) + " " + ratio.toFixed(2));
  }
  return found;
})()`;

/** Measures the page's horizontal overflow in pixels. */
export const OVERHANG = `Math.max(
  document.documentElement.scrollWidth - innerWidth,
  ...["scroller", "items", "bottom", "top"].map((id) => {
    const element = document.getElementById(id);
    return element.scrollWidth - element.clientWidth;
  }),
)`;
