import assert from "node:assert/strict";
import { METRICS, toPrometheus } from "../../lib/http/metrics.ts";
import { Traffic } from "../../lib/http/traffic.ts";
import { KEY_TEXT, KEYS, startServer } from "../helpers/http.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

/** Reads the values of a Prometheus text by name and labels; asserts that every line is one. */
function parse(text: string): Map<string, number> {
  const values = new Map<string, number>();
  const types = new Map<string, string>();
  assert.ok(text.endsWith("\n"));
  for (const line of text.trimEnd().split("\n")) {
    if (/^# HELP [a-z_]+ \S/.test(line)) continue;
    const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line);
    if (type !== null) {
      assert.ok(!types.has(type[1] ?? ""), line);
      types.set(type[1] ?? "", type[2] ?? "");
      continue;
    }
    const sample =
      /^([a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\.)*"(?:,[a-z]+="(?:[^"\\\n]|\\.)*")*\})? (\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/
        .exec(line);
    assert.ok(sample !== null, line);
    const [, name = "", labels = "", value] = sample;
    const base = name.replace(/_(bucket|sum|count)$/, "");
    assert.ok(types.has(name) || types.get(base) === "histogram", line);
    assert.ok(!values.has(name + labels), line);
    values.set(name + labels, Number(value));
  }
  return values;
}

Deno.test("GET /metrics counts requests, documents, chunks and jobs", async () => {
  await using server = await startServer({ runsJobs: false });
  server.kb.addNote("text");
  server.kb.jobs.submitNote("waits");
  await server.call("GET", "/api/v1/documents/2");
  await server.call("GET", "/api/v1/documents/3");
  await server.call("GET", '/odd"path');
  const { status, headers, text } = await server.call("GET", "/metrics");
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^text\/plain; version=0/);
  const values = parse(text);
  const route = 'method="GET",path="/api/v1/documents/{id}"';
  assert.equal(values.get(`kbdb_requests_total{${route},status="404"}`), 2);
  assert.equal(
    values.get(
      'kbdb_requests_total{method="GET",path="(unknown)",status="404"}',
    ),
    1,
  );
  assert.equal(
    values.get(`kbdb_request_duration_seconds_count{${route}}`),
    2,
  );
  assert.equal(
    values.get(`kbdb_request_duration_seconds_bucket{${route},le="+Inf"}`),
    2,
  );
  assert.equal(values.get("kbdb_requests_in_flight"), 1);
  assert.equal(values.get("kbdb_documents"), 1);
  assert.equal(values.get("kbdb_chunks"), 1);
  assert.equal(values.get("kbdb_chunks_pending"), 1);
  assert.ok((values.get("kbdb_database_bytes") ?? 0) > 1000);
  assert.equal(values.get('kbdb_jobs{status="queued"}'), 1);
  assert.equal(values.get('kbdb_jobs{status="failed"}'), 0);
  assert.ok((values.get("kbdb_uptime_seconds") ?? 0) > 0);
  assert.equal(values.get('kbdb_build_info{version="0.0.0"}'), 1);
});

Deno.test("GET /metrics needs a key that may read", async () => {
  await using server = await startServer({ keys: KEY_TEXT, runsJobs: false });
  assert.equal((await server.call("GET", "/metrics")).status, 401);
  const { status, text } = await server.call("GET", "/metrics", {
    key: KEYS.read,
  });
  assert.equal(status, 200);
  assert.ok(!text.includes(KEYS.read));
});

Deno.test("toPrometheus() writes a histogram whose buckets hold those before them", async () => {
  await using temp = openTempKb();
  const traffic = new Traffic();
  for (const ms of [1, 5, 30, 700, 60_000]) {
    traffic.add({
      requestId: "x",
      method: "GET",
      path: "/health",
      status: 200,
      ms,
    });
  }
  const values = parse(toPrometheus({
    traffic,
    status: temp.kb.status(),
    inFlight: 0,
    uptimeMs: 1500,
    version: 'a"b\\c\nd',
    residentBytes: 4096,
  }));
  const name = "kbdb_request_duration_seconds";
  const labels = 'method="GET",path="/health"';
  const buckets = ["0.005", "0.01", "0.05", "0.5", "1", "10", "+Inf"].map(
    (le) => values.get(`${name}_bucket{${labels},le="${le}"}`),
  );
  assert.deepEqual(buckets, [2, 2, 3, 3, 4, 4, 5]);
  assert.equal(values.get(`${name}_count{${labels}}`), 5);
  const sum = values.get(`${name}_sum{${labels}}`) ?? 0;
  assert.ok(Math.abs(sum - 60.736) < 1e-9);
  assert.equal(values.get("process_resident_memory_bytes"), 4096);
  assert.equal(values.get("kbdb_uptime_seconds"), 1.5);
  assert.equal(values.get('kbdb_build_info{version="a\\"b\\\\c\\nd"}'), 1);
});

Deno.test("every metric has the labels it is said to have, and none of what was asked for", async () => {
  await using server = await startServer({ runsJobs: false });
  await server.call("GET", "/api/v1/documents?source_path=secret-path");
  const { text } = await server.call("GET", "/metrics");
  assert.ok(!text.includes("secret"));
  const names = new Set(parse(text).keys());
  for (const { name, labels, type } of METRICS) {
    if (name === "process_resident_memory_bytes") continue;
    const first = [...names].find((key) =>
      key.startsWith(type === "histogram" ? `${name}_bucket` : name)
    );
    assert.ok(first !== undefined, name);
    const found = [...first.matchAll(/([a-z]+)="/g)].map(([, label]) => label);
    assert.deepEqual(found.filter((label) => label !== "le"), labels, name);
  }
});
