import { z } from "zod";
import { KbError, LIMITS, splitLabels } from "../../core/mod.ts";
import type { EngineJobs, Job } from "../../kb/mod.ts";
import { readJson } from "../body.ts";
import { type JobForm, readJobForm } from "../multipart.ts";
import { presentJob } from "../present.ts";
import { type Route, route, type RouteRequest } from "../route.ts";
import { countParamOr, idParams, jobForm, jobSchema } from "../schemas.ts";
import { check } from "../validate.ts";

const statuses = jobSchema.shape.status;
const OVER: readonly string[] = ["done", "failed", "skipped", "cancelled"];
/** How often a stream looks for changes by other processes. */
const POLL_MS = 1_000;
/** A stream says nothing longer than this, or proxies would end it. */
const SILENT_MS = 15_000;

/** The queue. */
export const jobRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/api/v1/jobs",
    scope: "write",
    tag: "Jobs",
    summary: "Queue a file or a note",
    form: jobForm,
    answer: { status: 202, schema: jobSchema },
    handle: submit,
  }),
  route({
    method: "GET",
    path: "/api/v1/jobs",
    scope: "read",
    tag: "Jobs",
    summary: "List jobs, newest first",
    query: z.strictObject({
      status: statuses.optional(),
      limit: countParamOr(50, { min: 1, max: LIMITS.jobs }),
      offset: countParamOr(0, { min: 0, max: 1e9 }),
    }),
    answer: {
      status: 200,
      schema: z.object({ jobs: z.array(jobSchema), total: z.int() }),
    },
    async handle(
      { kb, query: { status, limit, offset } },
    ): Promise<Response> {
      const { jobs, total } = await kb.jobs.list({
        limit,
        offset,
        ...(status === undefined ? {} : { status }),
      });
      return Response.json({ jobs: jobs.map(presentJob), total });
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/jobs/{id}",
    scope: "read",
    tag: "Jobs",
    summary: "Get a job",
    params: idParams,
    answer: { status: 200, schema: jobSchema },
    handle: async ({ kb, params }) =>
      Response.json(presentJob(await kb.jobs.get(Number(params.id)))),
  }),
  route({
    method: "GET",
    path: "/api/v1/jobs/{id}/events",
    scope: "read",
    tag: "Jobs",
    summary: "Follow a job until it is over, as server-sent events",
    params: idParams,
    answer: { status: 200, media: "text/event-stream" },
    handle: async ({ kb, params, raw, state }) =>
      followJob(
        kb.jobs,
        await kb.jobs.get(Number(params.id)),
        AbortSignal.any([raw.signal, state.stopping]),
      ),
  }),
  route({
    method: "POST",
    path: "/api/v1/jobs/{id}/cancel",
    scope: "write",
    tag: "Jobs",
    summary: "Cancel a job that is not over",
    params: idParams,
    answer: { status: 200, schema: jobSchema },
    handle: async ({ kb, params }) =>
      Response.json(presentJob(await kb.jobs.cancel(Number(params.id)))),
  }),
  route({
    method: "POST",
    path: "/api/v1/jobs/{id}/retry",
    scope: "write",
    tag: "Jobs",
    summary: "Queue a job again that failed or was cancelled",
    params: idParams,
    answer: { status: 200, schema: jobSchema },
    handle: async ({ kb, params }) =>
      Response.json(presentJob(await kb.jobs.retry(Number(params.id)))),
  }),
];

async function submit(
  { kb, raw, state }: RouteRequest<undefined, undefined, undefined>,
): Promise<Response> {
  const isForm = /^multipart\/form-data/i.test(
    raw.headers.get("content-type") ?? "",
  );
  const form: JobForm = isForm
    ? await readJobForm(kb, raw, state.settings.maxUploadBytes)
    : { fields: toFields(await readJson(raw, LIMITS.noteChars * 4)) };
  const { file } = form;
  try {
    const job = await submitForm(kb.jobs, form);
    return Response.json(presentJob(job), {
      status: 202,
      headers: { Location: `/api/v1/jobs/${job.id}` },
    });
  } catch (error) {
    if (file !== undefined) await kb.jobs.release([file.sha256]);
    throw error;
  }
}

function toFields(body: unknown): JobForm["fields"] {
  return check(
    z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    body,
    "body",
  );
}

async function submitForm(
  jobs: EngineJobs,
  { fields, file }: JobForm,
): Promise<Job> {
  const { note, title, tags = [], collection, source_path, docid } = check(
    jobForm.omit({ file: true }),
    fields,
    "form",
  );
  if ((file === undefined) === (note === undefined)) {
    throw new KbError("invalid_input", "Give either a file or a note");
  }
  const labels = {
    ...splitLabels(tags, collection),
    ...(title === undefined ? {} : { title }),
  };
  if (note !== undefined) {
    if (source_path !== undefined) {
      throw new KbError("invalid_input", "Give source_path with a file only");
    }
    return await jobs.submitNote(note, {
      ...labels,
      ...(docid === undefined ? {} : { docid }),
    });
  }
  if (file === undefined) throw new TypeError("There is neither note nor file");
  if (docid !== undefined) {
    throw new KbError("invalid_input", "Give docid with a note only");
  }
  return await jobs.submitReceived(source_path ?? file.name, file, labels);
}

/** Streams a job's states until it is over or the client leaves. */
function followJob(
  jobs: EngineJobs,
  first: Job,
  signal: AbortSignal,
): Response {
  const encoder = new TextEncoder();
  let end: () => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller): void {
      let last = "";
      let saidMs = performance.now();
      /** Comments keep the connection; no client sees them as events. */
      function keepAlive(): void {
        if (performance.now() - saidMs < SILENT_MS) return;
        saidMs = performance.now();
        controller.enqueue(encoder.encode(": still at it\n\n"));
      }
      function send(job: Job): void {
        const text = JSON.stringify(presentJob(job));
        if (job.id !== first.id || text === last) return;
        last = text;
        saidMs = performance.now();
        controller.enqueue(encoder.encode(`event: job\ndata: ${text}\n\n`));
        if (!OVER.includes(job.status)) return;
        close();
      }
      const listening = jobs.onChange(send);
      let isOver = false;
      async function look(): Promise<void> {
        try {
          const job = await jobs.get(first.id);
          if (!isOver) send(job);
          if (!isOver) keepAlive();
        } catch (error) {
          if (isOver) return;
          end();
          controller.error(error);
        }
      }
      const timer = setInterval(() => void look(), POLL_MS);
      end = () => {
        isOver = true;
        clearInterval(timer);
        listening[Symbol.dispose]();
        signal.removeEventListener("abort", close);
        end = () => {};
      };
      function close(): void {
        end();
        controller.close();
      }
      signal.addEventListener("abort", close, { once: true });
      send(first);
    },
    cancel: () => end(),
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    },
  });
}
