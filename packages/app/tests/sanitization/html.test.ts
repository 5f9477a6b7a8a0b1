import * as fc from "fast-check";
import sanitizeHtmlPackage, { type IOptions } from "sanitize-html";
import { describe, expect, test } from "vitest";
import { createSanitization, sanitization } from "../../src/sanitization/sanitization.js";

const { sanitizeHtml, sanitizeString } = sanitization;

/** Markup that runs code, loads content, submits data, or takes over the page. No result may contain it. */
const DANGEROUS =
  /<\/?(?:script|style|iframe|object|embed|svg|math|form|base|meta|link|img|video|audio|body|input|details|template|xmp|noscript|marquee)\b|<[^>]*\son\w+\s*=|<[^>]*(?:href|src)\s*=\s*["']?\s*(?:javascript|vbscript|data):|<!--|<[^>]*\sstyle\s*=/i;

const VECTORS = [
  "<script>alert(1)</script>",
  "<SCRIPT SRC=http://xss.example/x.js></SCRIPT>",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<script/xss src=x></script>",
  "<script\n>alert(1)</script\n>",
  "<img src=x onerror=alert(1)>",
  '<img src="javascript:alert(1)">',
  "<IMG SRC=JaVaScRiPt:alert(1)>",
  '<img """><script>alert(1)</script>">',
  "<img src=x:alert(alt) onerror=eval(src) alt=0>",
  "<svg onload=alert(1)>",
  "<svg><script>alert&#40;1&#41;</script>",
  "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
  '<svg><a xlink:href="javascript:alert(1)"><text x=20 y=20>x</text></a>',
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
  '<math><a xlink:href="javascript:alert(1)">x</a></math>',
  "<body onload=alert(1)>",
  "<iframe src=javascript:alert(1)>",
  '<iframe srcdoc="<script>alert(1)</script>">',
  "<object data=javascript:alert(1)>",
  '<embed src="data:text/html,<script>alert(1)</script>">',
  "<form action=javascript:alert(1)><input type=submit>",
  "<input autofocus onfocus=alert(1)>",
  "<details open ontoggle=alert(1)>",
  "<marquee onstart=alert(1)>",
  "<video><source onerror=alert(1)></video>",
  "<audio src=x onerror=alert(1)>",
  '<a href="javascript:alert(1)">x</a>',
  '<a href="jav&#x09;ascript:alert(1)">x</a>',
  '<a href="jav\tascript:alert(1)">x</a>',
  '<a href="&#106;&#97;vascript:alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
  '<a href="//evil.example">x</a>',
  '<a href="https://ok.example" onclick=alert(1)>x</a>',
  '<a href="https://ok.example" style="position:fixed;inset:0">x</a>',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<div id="getElementById" name="cookie">x</div>',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<base href="https://evil.example/">',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  "<style>@import 'https://evil.example/x.css';</style>",
  "<!--<img src='--><img src=x onerror=alert(1)//'>",
  "<![CDATA[<script>alert(1)</script>]]>",
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  "<template><script>alert(1)</script></template>",
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>',
  "<textarea><img title='</textarea><img src=x onerror=alert(1)>'>",
  "<option><style></option></select><b><img src=x onerror=alert(1)></style></option>",
  "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
  "<b onmouseover=alert(1)>x</b>",
  "<b/onclick=alert(1)>x",
  "<p/oncut='alert(1)'/contenteditable>x</p>",
  "<<script>alert(1)//<</script>",
  "<script>alert(1)",
  "<img src=x onerror=alert(1)",
  "\0<scr\0ipt>alert(1)</script>",
  "<a href=`javascript:alert(1)`>x</a>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "<isindex action=javascript:alert(1) type=submit>",
  "<button formaction=javascript:alert(1)>x",
];

describe("sanitizeHtml", () => {
  test("T39: the table has enough attack vectors", () => {
    expect(new Set(VECTORS).size).toBeGreaterThanOrEqual(40);
  });

  test.each(VECTORS)("T39: removes the attack from %j", (vector) => {
    for (const clean of [
      sanitizeHtml(vector),
      sanitizeString(vector),
      sanitizeString(vector, { context: "html" }),
    ]) {
      expect(clean).not.toMatch(DANGEROUS);
    }
    expect(sanitizeString(vector)).not.toMatch(/[<>]/);
    expect(sanitizeString(vector, { context: "attribute" })).not.toMatch(/[<>"'`]/);
  });

  test.each([
    ["<p>Hello <b>you</b></p>", "<p>Hello <b>you</b></p>"],
    ["a < b & c", "a &lt; b &amp; c"],
    [
      '<a href="https://ok.example/?a=1&b=2">x</a>',
      '<a href="https://ok.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow">x</a>',
    ],
    [
      '<a href="mailto:a@b.example" rel="opener">x</a>',
      '<a href="mailto:a@b.example" rel="noopener noreferrer nofollow">x</a>',
    ],
    ["<table><tr><td colspan=2>x</td></tr></table>", '<table><tr><td colspan="2">x</td></tr></table>'],
    ["<b>x<script>y</script>z", "<b>xz</b>"],
    ["", ""],
  ])("keeps harmless markup in %j", (html, clean) => {
    expect(sanitizeHtml(html)).toBe(clean);
  });

  test("keeps only what the application allows", () => {
    const options = {
      allowedTags: ["mark"],
      allowedAttributes: { mark: ["title"] },
      allowedSchemes: ["https"],
    };
    expect(sanitizeHtml('<mark title="t" lang="en">x</mark><p>y</p>', options)).toBe(
      '<mark title="t">x</mark>y',
    );
  });

  test.each([
    [{ allowedTags: ["script"] }, '`allowedTags` must not contain the unsafe element "script".'],
    [{ allowedTags: ["STYLE"] }, '`allowedTags` must not contain the unsafe element "STYLE".'],
    [
      { allowedAttributes: { p: ["onclick"] } },
      '`allowedAttributes` must not contain the unsafe attribute "onclick".',
    ],
    [
      { allowedAttributes: { p: ["data-*"] } },
      '`allowedAttributes` must not contain the unsafe attribute "data-*".',
    ],
    [
      { allowedAttributes: { "*": ["style"] } },
      '`allowedAttributes` must not contain the unsafe attribute "style".',
    ],
    [
      { allowedSchemes: ["javascript:"] },
      '`allowedSchemes` must not contain the unsafe scheme "javascript:".',
    ],
    [{ allowedSchemes: ["data"] }, '`allowedSchemes` must not contain the unsafe scheme "data".'],
  ])("rejects unsafe options: %o", (options, message) => {
    expect(() => sanitizeHtml("x", options)).toThrow(message);
  });

  test("limits input length and nesting", () => {
    expect(() => sanitizeHtml("x".repeat(100_001))).toThrow(
      "Invalid HTML: it is too long (limit: 100000 characters); got 100001.",
    );
    expect(() => sanitizeHtml("abc", { maxLength: 2 })).toThrow("too long (limit: 2 characters)");
    expect(() => sanitizeHtml(42)).toThrow("Invalid HTML: it must be a string; got a number.");
    const deep = sanitizeHtml("<b>".repeat(30_000));
    expect(deep.match(/<b>/g)?.length).toBeLessThanOrEqual(100);
  });

  test("uses the caller's cleaner", () => {
    let calls = 0;
    const own = createSanitization({
      htmlCleaner: (html, options) => {
        calls++;
        return sanitizeHtmlPackage(html, options);
      },
    });
    expect(createSanitization({ htmlCleaner: sanitizeHtmlPackage }).sanitizeHtml("<i>z</i>")).toBe(
      "<i>z</i>",
    );
    expect(own.sanitizeHtml("<script>x</script><b>y</b>")).toBe("<b>y</b>");
    expect(calls).toBe(2);
  });

  test("cleans until the result is stable", () => {
    expect(sanitizeHtml("<p><object><div>x</div>")).toBe("<p></p><div>x</div><p></p>");
  });

  test("keeps only the text if the result never becomes stable", () => {
    let calls = 0;
    const restless = createSanitization({
      htmlCleaner: (html, options: IOptions = {}) =>
        options.allowedTags?.toString() === "" ? sanitizeHtmlPackage(html, options) : `<b>${++calls}</b>`,
    });
    expect(restless.sanitizeHtml("x")).toBe("6");
  });

  test("is idempotent and its result is never dangerous (property)", () => {
    const piece = fc.oneof(
      fc.constantFrom(...VECTORS),
      fc.constantFrom(
        "<",
        ">",
        '"',
        "'",
        "&",
        "&lt;",
        "</",
        "<b>",
        "<a href=",
        "javascript:",
        "<!--",
        "-->",
        "\0",
        "\n",
      ),
      fc.string({ unit: "binary", maxLength: 8 }),
    );
    const html = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(html, fc.constantFrom("text", "html", "attribute", "plain"), (input, context) => {
        const once = sanitizeString(input, { context });
        expect(sanitizeString(once, { context })).toBe(once);
        if (context === "text" || context === "html") expect(once).not.toMatch(DANGEROUS);
        if (context === "attribute") expect(once).not.toMatch(/[<>"'`]/);
        // eslint-disable-next-line no-control-regex
        expect(once).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
      }),
      { numRuns: 500 },
    );
  });
});

describe("sanitizeString", () => {
  test.each([
    ["text", "1 < 2 <b>bold</b>", "1 &lt; 2 bold"],
    ["plain", "1 < 2 <b>bold</b> & more", "1 < 2 <b>bold</b> & more"],
    ["plain", "a\u001b[31mred\u0007\r\nb\tc\u202egnp.exe\u200b\ufeff\ud800", "a[31mred\nb\tcgnp.exe"],
    ["plain", "ignore\u{e0041}\u{e0042} this 👩‍👩‍👧", "ignore this 👩‍👩‍👧"],
    ["attribute", `" onclick='x' & &amp; &#39;`, "&quot; onclick&#61;&#39;x&#39; &amp; &amp; &#39;"],
    ["html", "<i>x</i><script>y</script>", "<i>x</i>"],
    ["url", "https://ok.example", "https://ok.example/"],
  ] as const)("T39: makes text safe for %s: %j", (context, input, clean) => {
    expect(sanitizeString(input, { context })).toBe(clean);
  });

  test("rejects values that are not strings, long text, and the context javascript", () => {
    expect(() => sanitizeString(null)).toThrow("Invalid text: it must be a string; got null.");
    expect(() => sanitizeString("abc", { maxLength: 2 })).toThrow(
      "Invalid text: it is too long (limit: 2 characters); got 3.",
    );
    expect(() => sanitizeString("x", { context: "javascript" })).toThrow(
      'Invalid text: it cannot be sanitized for the context "javascript". Use a different context.',
    );
    expect(() => sanitizeString("javascript:x", { context: "url" })).toThrow("Invalid URL");
  });
});
