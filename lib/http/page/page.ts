import { createHash } from "node:crypto";
import { makeAdding } from "./adding.js";
import { makeApi } from "./api.js";
import { runPage } from "./client.js";
import { makeElements } from "./elements.js";
import { makeReading } from "./reading.js";
import { makeSearching } from "./searching.js";
import { makeStatus } from "./status.js";

const STYLE = `
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui;max-width:52rem;margin:0 auto;padding:0 1rem 4rem}
header{position:sticky;top:0;background:Canvas;padding:1rem 0 .5rem;border-bottom:1px solid #8884}
nav a{margin-right:1rem}
#search{display:flex;gap:.5rem;margin-top:.5rem;flex-wrap:wrap}
#search input{flex:1 1 16rem}
input,select,textarea,button{font:inherit;padding:.3rem .5rem}
h1{font-size:1.5rem;margin:1rem 0 .25rem}
h2{font-size:1.1rem;margin:1rem 0 .25rem}
p{margin:.25rem 0;overflow-wrap:anywhere}
.hits{padding-left:1.5rem}
.place,#notice{opacity:.75;font-size:.875rem}
.tag{background:#8883;border-radius:3px;padding:0 .4rem;margin-right:.4rem}
.warning{border-left:3px solid orange;padding-left:.5rem}
.found{outline:2px solid Highlight;outline-offset:.5rem}
.inline{display:inline}
.adding{display:grid;gap:.5rem}
section{scroll-margin-top:8rem;margin:1rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:.875rem/1.5 ui-monospace,monospace;margin:.25rem 0}
table{border-collapse:collapse;width:100%}
td{border-top:1px solid #8884;padding:.3rem .5rem;vertical-align:top;overflow-wrap:anywhere}
td:nth-child(n+2):not(:nth-child(3)){white-space:nowrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}
dd{margin:0}
`;
/** What the script is made of, by the names it takes them by. */
const PARTS = Object.entries({
  makeAdding,
  makeApi,
  makeElements,
  makeReading,
  makeSearching,
  makeStatus,
}).map(([name, part]) => `${name}: ${part.toString()}`);
const SCRIPT = `(${runPage.toString()})({${PARTS.join(",\n")}});`;
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>kbdb</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<header>
<nav><a href="#"><b>kbdb</b></a><a href="#add">Add</a><a href="#status">Status</a><a href="docs">API</a></nav>
<form id="search" role="search">
<input name="q" type="search" placeholder="Words, or what it is about" aria-label="Query" autocomplete="off" autofocus>
<select name="in" aria-label="Collection"><option value="">all collections</select>
<select name="by" aria-label="Search by"><option value="">words and meaning<option value="word">words<option value="meaning">meaning</select>
<button>Search</button>
</form>
<p id="notice" role="status"></p>
</header>
<main></main>
<dialog id="key"><form method="dialog"><p></p><input type="password" aria-label="Key" autocomplete="current-password" pattern="[ -~]+" title="letters, digits and signs" required> <button value="given">Go on</button></form></dialog>
<noscript>This page needs JavaScript; the API does not: <a href="docs">its reference</a>.</noscript>
<script>${SCRIPT}</script>
`;
/** Nothing but what is in the page itself runs, and it speaks to its own server only. */
const POLICY = [
  "default-src 'none'",
  `script-src '${hashOf(SCRIPT)}'`,
  `style-src '${hashOf(STYLE)}'`,
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Answers with the page on which a base is searched, read and added to. */
export function answerPage(): Response {
  return new Response(PAGE, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": POLICY,
      "Referrer-Policy": "no-referrer",
    },
  });
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
