/**
 * The web page's script: search, read, add, follow jobs, over the REST API.
 *
 * The server sends the source of this one function to the browser, so nothing from outside of it may be used in it.
 * What comes from the base is only ever set as text.
 */
export function runPage() {
  const { document, location, sessionStorage } = globalThis;
  const KEY = "kbdb-key";
  const PAGE_SIZE = 10;
  const POLL_MS = 1000;
  const main = document.querySelector("main");
  const search = document.querySelector("#search");
  const notice = document.querySelector("#notice");
  /** Counts views, so that what comes too late for one is left out. */
  let view = 0;
  let asking;

  function element(name, properties = {}, ...children) {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children.flat().filter((child) => child !== null));
    return node;
  }

  /** Calls the API; asks for a key where one is needed. */
  async function call(method, path, body) {
    const key = sessionStorage.getItem(KEY);
    const isForm = body instanceof FormData;
    const response = await fetch(`api/v1/${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined || isForm
          ? {}
          : { "Content-Type": "application/json" }),
      },
      ...(body === undefined
        ? {}
        : { body: isForm ? body : JSON.stringify(body) }),
    }).catch(() => {
      throw new Error("The server does not answer. Is it running?");
    });
    if (response.ok) return response;
    if (response.status === 401) {
      // Another call may have got a new one meanwhile.
      if (sessionStorage.getItem(KEY) === key) {
        await (asking ??= askForKey(key !== null));
      }
      return call(method, path, body);
    }
    const answer = await response.json().catch(() => ({}));
    throw new Error(
      answer.error?.message ?? `The server answered ${response.status}.`,
    );
  }

  async function getJson(path) {
    return await (await call("GET", path)).json();
  }

  function askForKey(wasWrong) {
    const dialog = document.querySelector("#key");
    dialog.querySelector("p").textContent = wasWrong
      ? "This key is not right, or is no longer. Another one?"
      : "This server needs a key. It is kept until the tab is closed.";
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve, reject) => {
      dialog.addEventListener("close", () => {
        const input = dialog.querySelector("input");
        const key = input.value.trim();
        input.value = "";
        asking = undefined;
        if (dialog.returnValue === "given") {
          sessionStorage.setItem(KEY, key);
          resolve();
        } else {
          reject(new Error("Nothing is shown without a key; reload the page."));
        }
      }, { once: true });
    });
  }

  function say(text) {
    notice.textContent = text;
  }

  /** Does something, and says what went wrong if that is still of interest. */
  async function act(action, isWanted = () => true) {
    try {
      await action();
    } catch (error) {
      if (isWanted()) say(error.message);
    }
  }

  /** Makes a handler that does nothing while what it began is at work: a second click would do it twice. */
  function once(action) {
    let isAtWork = false;
    return async (event) => {
      event.preventDefault();
      if (isAtWork) return;
      isAtWork = true;
      await act(action);
      isAtWork = false;
    };
  }

  function show(title, ...children) {
    document.title = title === "" ? "kbdb" : `${title} - kbdb`;
    main.replaceChildren(...children.flat());
  }

  /** Text in which the words that were found are marked. */
  function mark(text, terms) {
    const words = terms.filter((term) => term !== "").map((term) =>
      term.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
    );
    if (words.length === 0) return [text];
    return text.split(new RegExp(`(${words.join("|")})`, "giu")).map(
      (part, index) =>
        index % 2 === 1 ? element("mark", { textContent: part }) : part,
    );
  }

  function placeOf({ source_path, docid, line_start, page }) {
    const where = source_path ?? docid ?? "";
    if (page !== null) return `${where}, p. ${page}`;
    return line_start > 1 ? `${where}:${line_start}` : where;
  }

  function tagList(tags) {
    return tags.map((tag) => element("span", { className: "tag" }, tag));
  }

  function button(label, onclick) {
    return element("button", {
      type: "button",
      textContent: label,
      onclick: once(onclick),
    });
  }

  function day(time) {
    return time === null ? "" : new Date(time).toLocaleString();
  }

  async function showHits(parameters, mine) {
    const query = parameters.get("q") ?? "";
    const collection = parameters.get("in") ?? "";
    const mode = parameters.get("by") ?? "";
    search.elements.q.value = query;
    search.elements.by.value = mode;
    await listCollections(collection, mine);
    if (mine !== view) return;
    if (query.trim() === "") return showRecent(collection, mine);
    const list = element("ol", { className: "hits" });
    const more = element("p");
    show(query, list, more);
    async function load(offset) {
      say("Searching …");
      const answer = await (await call("POST", "search", {
        query,
        top: PAGE_SIZE,
        offset,
        ...(collection === "" ? {} : { collection }),
        ...(mode === "word" ? { fts_only: true } : {}),
        ...(mode === "meaning" ? { vec_only: true } : {}),
      })).json();
      if (mine !== view) return;
      const { results, total, degraded, notes } = answer;
      say([
        total === 0
          ? "Nothing was found."
          : `${total} ${total === 1 ? "passage" : "passages"}`,
        ...degraded,
        ...notes,
      ].join(" · "));
      list.append(...results.map(toHit));
      const shown = offset + results.length;
      more.replaceChildren(
        ...(results.length === PAGE_SIZE && shown < total
          ? [button("More", () => load(shown))]
          : []),
      );
    }
    await load(0);
  }

  function toHit(hit) {
    const heading = [
      hit.title,
      ...hit.heading_path.filter((part) => part !== hit.title),
    ].filter((part) => part !== null).join(" › ");
    const link = element("a", {
      href: hit.document_id === null
        ? "#"
        : `#document/${hit.document_id}/${hit.chunk_id}`,
      textContent: heading || hit.docid || hit.kbid,
    });
    return element(
      "li",
      {},
      element("h2", {}, link),
      element("p", { className: "place", textContent: placeOf(hit) }),
      element("p", {}, mark(hit.snippet, hit.matched_terms)),
    );
  }

  async function showRecent(collection, mine) {
    const wanted = collection === ""
      ? ""
      : `&collection=${encodeURIComponent(collection)}`;
    const documents = await getJson(`documents?limit=20${wanted}`);
    if (mine !== view) return;
    say(documents.length === 0 ? "The base is empty; add something." : "");
    show(
      "",
      element("h2", { textContent: "Latest" }),
      element(
        "ul",
        { className: "hits" },
        documents.map((one) =>
          element(
            "li",
            {},
            element("a", {
              href: `#document/${one.id}`,
              textContent: one.title || one.docid,
            }),
            " ",
            element("span", {
              className: "place",
              textContent: one.source_path ?? one.doc_type,
            }),
          )
        ),
      ),
    );
  }

  async function listCollections(chosen, mine) {
    const select = search.elements.in;
    const { documents } = await getJson("status");
    if (mine !== view) return;
    const names = Object.keys(documents.by_collection).sort();
    select.replaceChildren(
      element("option", { value: "", textContent: "all collections" }),
      ...names.map((name) =>
        element("option", { value: name, textContent: name })
      ),
    );
    select.value = names.includes(chosen) ? chosen : "";
  }

  async function showDocument(id, chunk, mine) {
    const one = await getJson(`documents/${id}`);
    if (mine !== view) return;
    say("");
    const tags = one.tags.filter((tag) => !tag.startsWith("collection:"));
    const known = new Set();
    const list = element("div");
    const more = element("p");
    show(
      one.title,
      element("h1", { textContent: one.title || one.docid }),
      element("p", {
        className: "place",
        textContent: [
          one.source_path ?? one.docid,
          one.doc_type,
          `in ${one.collection}`,
          day(one.updated_at ?? one.created_at),
        ].join(" · "),
      }),
      element("p", {}, tagList(tags), toTagForm(id, tags)),
      one.warnings.map((text) =>
        element("p", { className: "warning", textContent: text })
      ),
      element(
        "p",
        {},
        one.has_file ? button("Download", () => download(id)) : null,
        " ",
        button("Remove", () => remove(id, one.title || one.docid)),
      ),
      list,
      more,
    );
    function load(parts, from) {
      list.append(...parts.map((part) => toPart(part, chunk, known)));
      const next = from + parts.length;
      const isAll = parts.length === 0 || next >= one.chunk_count;
      more.replaceChildren(
        ...(isAll ? [] : [
          `${next} of ${one.chunk_count} parts `,
          button("More", () => loadFrom(next)),
        ]),
      );
      return isAll ? undefined : next;
    }
    async function loadFrom(from) {
      const { chunks } = await getJson(`documents/${id}?chunk_offset=${from}`);
      return load(chunks, from);
    }
    let next = load(one.chunks, 0);
    const find = () => document.querySelector(`#chunk-${chunk}`);
    while (chunk !== undefined && next !== undefined && find() === null) {
      next = await loadFrom(next);
      if (mine !== view) return;
    }
    find()?.scrollIntoView();
  }

  /** A part of a document, under its heading if that is a new one. */
  function toPart(part, chunk, known) {
    const isNew = part.heading_path.length > 0 && !known.has(part.kbid);
    known.add(part.kbid);
    return element(
      "section",
      {
        id: `chunk-${part.chunk_id}`,
        className: String(part.chunk_id) === chunk ? "found" : "",
      },
      isNew
        ? element("h2", { textContent: part.heading_path.join(" › ") })
        : null,
      element("p", {
        className: "place",
        textContent: part.page === null
          ? `lines ${part.line_start} to ${part.line_end}`
          : `page ${part.page}`,
      }),
      element("pre", { textContent: part.text }),
    );
  }

  function toTagForm(id, tags) {
    const input = element("input", {
      placeholder: "tag, or -tag to take it off",
      ariaLabel: "Tag",
      maxLength: 100,
    });
    const form = element("form", { className: "inline" }, input);
    form.onsubmit = once(async () => {
      const text = input.value.trim();
      if (text === "") return;
      const takesOff = text.startsWith("-") && tags.includes(text.slice(1));
      await call(
        "PUT",
        `documents/${id}/tags`,
        takesOff ? { remove: [text.slice(1)] } : { add: [text] },
      );
      await route();
    });
    return form;
  }

  async function download(id) {
    const response = await call("GET", `documents/${id}/file`);
    const disposition = response.headers.get("Content-Disposition") ?? "";
    const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
    const link = element("a", {
      href: URL.createObjectURL(await response.blob()),
      download: encoded === undefined
        ? /filename="([^"]*)"/.exec(disposition)?.[1] ?? `document-${id}`
        : decodeURIComponent(encoded),
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  async function remove(id, title) {
    if (!globalThis.confirm(`Remove "${title}" from the base?`)) return;
    await call("DELETE", `documents/${id}`);
    globalThis.history.replaceState(null, "", "#");
    await route();
    say(`Removed ${title}.`);
  }

  async function showAdding(mine) {
    say("");
    const files = element("input", {
      type: "file",
      multiple: true,
      ariaLabel: "Files",
    });
    const note = element("textarea", {
      rows: 6,
      placeholder: "… or a note, in Markdown",
      ariaLabel: "Note",
    });
    const tags = element("input", {
      placeholder: "tags, separated by commas",
      ariaLabel: "Tags",
    });
    const collection = element("input", {
      placeholder: "collection",
      ariaLabel: "Collection",
    });
    const form = element(
      "form",
      { className: "adding" },
      files,
      note,
      tags,
      collection,
      element("button", { textContent: "Add" }),
    );
    const jobs = element("div");
    form.onsubmit = once(async () => {
      const labels = [["tags", tags.value], ["collection", collection.value]]
        .filter(([, value]) => value.trim() !== "");
      const bodies = [...files.files].map((file) => ["file", file]);
      if (note.value.trim() !== "") bodies.push(["note", note.value]);
      if (bodies.length === 0) return say("Choose a file or write a note.");
      for (const [index, body] of bodies.entries()) {
        say(`Sending ${index + 1} of ${bodies.length} …`);
        const data = new FormData();
        // What is said of a file has to come before it.
        for (const [name, value] of labels) data.append(name, value);
        data.append(...body);
        await call("POST", "jobs", data);
      }
      say(`Sent ${bodies.length}; what became of each is below.`);
      files.value = "";
      note.value = "";
      await listJobs(jobs, mine);
    });
    form.addEventListener("dragover", (event) => event.preventDefault());
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      files.files = event.dataTransfer.files;
    });
    show(
      "Add",
      element("h1", { textContent: "Add" }),
      form,
      element("h2", { textContent: "Jobs" }),
      jobs,
    );
    while (mine === view) {
      if (!document.hidden) await listJobs(jobs, mine);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async function listJobs(place, mine) {
    const { jobs } = await getJson("jobs?limit=50");
    const seen = JSON.stringify(jobs);
    // What has not changed is left, so that a button keeps the focus.
    if (mine !== view || place.dataset.seen === seen) return;
    place.dataset.seen = seen;
    place.replaceChildren(
      jobs.length === 0
        ? element("p", { textContent: "There are none." })
        : element("table", {}, jobs.map((job) => toJob(job, place, mine))),
    );
  }

  function toJob(job, place, mine) {
    const change = (verb) => async () => {
      await call("POST", `jobs/${job.id}/${verb}`);
      await listJobs(place, mine);
    };
    const isOver = !["queued", "processing"].includes(job.status);
    const name = job.name || job.kind;
    return element(
      "tr",
      {},
      element(
        "td",
        {},
        job.document_id === null ? name : element("a", {
          href: `#document/${job.document_id}`,
          textContent: name,
        }),
      ),
      element("td", { textContent: job.status }),
      element("td", { textContent: job.error ?? job.state ?? "" }),
      element("td", { textContent: day(job.created_at) }),
      element(
        "td",
        {},
        isOver ? null : button("Cancel", change("cancel")),
        ["failed", "cancelled"].includes(job.status)
          ? button("Retry", change("retry"))
          : null,
      ),
    );
  }

  async function showStatus(mine) {
    const [status, tags] = await Promise.all([
      getJson("status"),
      getJson("tags"),
    ]);
    if (mine !== view) return;
    say("");
    const { chunks, documents, queue } = status;
    const facts = [
      ["Documents", documents.total],
      ["Passages", `${chunks.total}, ${chunks.pending} without a vector yet`],
      ["Jobs", `${queue.queued} wait, ${queue.processing} at work`],
      ["Model", status.model_problem ?? status.model_name],
      ["Size", `${(status.db_size_bytes / 1e6).toFixed(1)} MB`],
      ["kbdb", `${status.version}, SQLite ${status.sqlite_version}`],
    ];
    show(
      "Status",
      element("h1", { textContent: "Status" }),
      element(
        "dl",
        {},
        facts.flatMap(([name, value]) => [
          element("dt", { textContent: name }),
          element("dd", { textContent: String(value) }),
        ]),
      ),
      element("h2", { textContent: "Collections" }),
      element(
        "p",
        {},
        Object.entries(documents.by_collection).map(([name, count]) =>
          element("a", {
            className: "tag",
            href: `#?in=${encodeURIComponent(name)}`,
            textContent: `${name} ${count}`,
          })
        ),
      ),
      element("h2", { textContent: "Tags" }),
      element(
        "p",
        {},
        tags.filter(({ name }) => !name.startsWith("collection:")).map((tag) =>
          element("span", {
            className: "tag",
            textContent: `${tag.name} ${tag.documents}`,
          })
        ),
      ),
    );
  }

  async function route() {
    const mine = ++view;
    const hash = location.hash.slice(1);
    await act(async () => {
      const [, id, chunk] = /^document\/(\d+)(?:\/(\d+))?$/.exec(hash) ?? [];
      if (id !== undefined) await showDocument(id, chunk, mine);
      else if (hash === "add") await showAdding(mine);
      else if (hash === "status") await showStatus(mine);
      else await showHits(new URLSearchParams(hash.replace(/^\?/, "")), mine);
    }, () => mine === view);
  }

  search.addEventListener("submit", (event) => {
    event.preventDefault();
    const { q, by, in: collection } = search.elements;
    const hash = "?" + new URLSearchParams(
      [["q", q.value], ["in", collection.value], ["by", by.value]]
        .filter(([, value]) => value !== ""),
    );
    if (location.hash === `#${hash}`) route();
    else location.hash = hash;
  });
  for (const name of ["by", "in"]) {
    search.elements[name].addEventListener(
      "change",
      () => search.requestSubmit(),
    );
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, textarea, select")) {
      return;
    }
    event.preventDefault();
    search.elements.q.select();
  });
  globalThis.addEventListener("hashchange", route);
  route();
}
