import assert from "node:assert/strict";
import { hostRules, parseHosts } from "../../lib/http/hosts.ts";
import { sendRaw, startServer, statusOf } from "../helpers/http.ts";

const GET = "GET /health HTTP/1.1\r\n";
const HOST = "Host: 127.0.0.1\r\n";

/** What a socket may send, and the statuses that are right. */
const MATRIX: readonly (readonly [string, string, readonly number[]])[] = [
  ["good", `${GET}Host: 127.0.0.1:PORT\r\n\r\n`, [200]],
  ["no host HTTP/1.1", `${GET}\r\n`, [400, 421]],
  ["no host HTTP/1.0", "GET /health HTTP/1.0\r\n\r\n", [400, 421]],
  ["evil", `${GET}Host: evil.com\r\n\r\n`, [421]],
  ["two hosts good,evil", `${GET}${HOST}Host: evil.com\r\n\r\n`, [400, 421]],
  ["two hosts evil,good", `${GET}Host: evil.com\r\n${HOST}\r\n`, [400, 421]],
  ["localhost@evil.com", `${GET}Host: localhost@evil.com\r\n\r\n`, [400, 421]],
  ["evil.com@localhost", `${GET}Host: evil.com@localhost\r\n\r\n`, [400, 421]],
  ["suffix", `${GET}Host: localhost.evil.com\r\n\r\n`, [421]],
  ["trailing dot", `${GET}Host: localhost.\r\n\r\n`, [421]],
  ["LOCALHOST", `${GET}Host: LOCALHOST\r\n\r\n`, [200]],
  ["decimal ip", `${GET}Host: 2130706433\r\n\r\n`, [400, 421]],
  ["0.0.0.0", `${GET}Host: 0.0.0.0\r\n\r\n`, [421]],
  ["[::1]:port", `${GET}Host: [::1]:PORT\r\n\r\n`, [200]],
  ["mapped", `${GET}Host: [::ffff:127.0.0.1]\r\n\r\n`, [400, 421]],
  ["path in host", `${GET}Host: localhost/evil\r\n\r\n`, [400, 421]],
  ["space in host", `${GET}Host: local host\r\n\r\n`, [400, 421]],
  ["no port number", `${GET}Host: localhost:abc\r\n\r\n`, [400, 421]],
  ["empty host", `${GET}Host: \r\n\r\n`, [400, 421]],
  [
    "absolute-form evil",
    `GET http://evil.com/health HTTP/1.1\r\n${HOST}\r\n`,
    [421],
  ],
  [
    "absolute-form good, host evil",
    "GET http://127.0.0.1/health HTTP/1.1\r\nHost: evil.com\r\n\r\n",
    [421],
  ],
  [
    "X-Forwarded-Host good, host evil",
    `${GET}Host: evil.com\r\nX-Forwarded-Host: 127.0.0.1\r\n\r\n`,
    [421],
  ],
  ["origin null", `${GET}${HOST}Origin: null\r\n\r\n`, [403]],
  ["origin evil", `${GET}${HOST}Origin: http://evil.com\r\n\r\n`, [403]],
  [
    "origin good",
    `${GET}${HOST}Origin: http://localhost:5173\r\n\r\n`,
    [200],
  ],
  [
    "two origins",
    `${GET}${HOST}Origin: http://localhost\r\nOrigin: http://evil.com\r\n\r\n`,
    [403],
  ],
  [
    "bare LF",
    "GET /health HTTP/1.1\nHost: 127.0.0.1\nX: y\n\n",
    [400],
  ],
  [
    "CL and TE",
    `POST /health HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    [400],
  ],
  [
    "CL twice",
    `POST /health HTTP/1.1\r\n${HOST}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd`,
    [400],
  ],
  ["header of 64 kB", `${GET}${HOST}X: ${"a".repeat(65_536)}\r\n\r\n`, [
    0,
    431,
  ]],
  [
    "header of 1 MB",
    `${GET}${HOST}X: ${"a".repeat(1_048_576)}\r\n\r\n`,
    [431],
  ],
  [
    "200 headers",
    `${GET}${HOST}${
      Array.from({ length: 200 }, (_, index) => `X${index}: y\r\n`).join("")
    }\r\n`,
    [200, 431],
  ],
  ["NUL in path", `GET /health\0 HTTP/1.1\r\n${HOST}\r\n`, [400]],
  ["dotdot", `GET /../../etc/passwd HTTP/1.1\r\n${HOST}\r\n`, [404]],
  [
    "encoded dotdot",
    `GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n${HOST}\r\n`,
    [404],
  ],
];

Deno.test("a raw request is answered by its Host and Origin as they came", async (t) => {
  await using server = await startServer({ runsJobs: false });
  for (const [name, text, expected] of MATRIX) {
    await t.step(name, async () => {
      const raw = await sendRaw(
        server.port,
        text.replace("PORT", String(server.port)),
      );
      assert.ok(
        expected.includes(statusOf(raw)),
        `${statusOf(raw)} is none of ${expected}: ${raw.slice(0, 300)}`,
      );
    });
  }
  assert.equal((await server.call("GET", "/health")).status, 200);
  assert.deepEqual(server.errors, []);
});

const ALLOWED: readonly (readonly [string, string, boolean])[] = [
  ["192.168.1.50", "192.168.1.50:3000", true],
  ["192.168.1.50", "10.0.0.99:3000", false],
  ["192.168.1.50", "localhost:3000", true],
  ["192.168.1.50", "127.0.0.1:3000", true],
  ["192.168.1.50,kb.example.com", "192.168.1.50", true],
  ["192.168.1.50, kb.example.com ", "KB.example.com:443", true],
  ["192.168.1.50,kb.example.com", "example.com", false],
  ["kb.example.com", "evil-kb.example.com", false],
  ["kb.example.com", "kb.example.com.evil.com", false],
  ["fd00::1", "[fd00::1]:3000", true],
  ["", "localhost:3000", true],
  ["", "[::1]", true],
  ["", "192.168.1.50", false],
];

Deno.test("KB_MCP_ALLOWED_HOSTS allows more hosts besides loopback, and their origins", () => {
  for (const [setting, host, expected] of ALLOWED) {
    const rules = hostRules(parseHosts(setting));
    assert.equal(rules.allowsHost(host), expected, `${setting} / ${host}`);
    for (const scheme of ["http", "https"]) {
      assert.equal(rules.allowsOrigin(`${scheme}://${host}`), expected);
    }
    assert.equal(rules.allowsOrigin(host), false);
  }
});

Deno.test("a server that allows a host answers 200 to it and 421 to others", async () => {
  await using server = await startServer({
    allowedHosts: ["192.168.1.50", "kb.example.com"],
    runsJobs: false,
  });
  const ask = async (host: string, more = "") =>
    statusOf(
      await sendRaw(
        server.port,
        `${GET}Host: ${host}\r\n${more}Connection: close\r\n\r\n`,
      ),
    );
  assert.equal(await ask("192.168.1.50:3000"), 200);
  assert.equal(await ask("kb.example.com"), 200);
  assert.equal(await ask("localhost:3000"), 200);
  assert.equal(await ask("10.0.0.99:3000"), 421);
  assert.equal(
    await ask("localhost", "Origin: http://192.168.1.50:3000\r\n"),
    200,
  );
  const raw = await sendRaw(server.port, `${GET}Host: evil.com\r\n\r\n`);
  assert.match(raw, /Invalid Host header/);
});
